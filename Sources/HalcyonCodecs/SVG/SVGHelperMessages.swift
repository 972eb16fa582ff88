#if SVG && !IMAGEIO
import Foundation
import HalcyonImaging

/// What a helper process is to draw: one line of JSON, then the document.
struct SVGHelperRequest: Codable {
  let cpuSeconds: Int
  let byteCount: Int
  private let pixelCount: Int
  private let sideLength: Int
  /// Width and height of the document, and of the output.
  private let sizes: [Int]
  private let viewport: [Double]

  init(_ drawing: SVGDrawing, _ limits: IsolatedSVGDecoder.Limits) {
    (cpuSeconds, byteCount) = (max(1, limits.cpuSeconds), limits.byteCount)
    (pixelCount, sideLength) = (drawing.limits.pixelCount, drawing.limits.sideLength)
    let (output, viewport) = (drawing.layout.outputSize, drawing.layout.viewport)
    sizes = [drawing.size.width, drawing.size.height, output.width, output.height]
    self.viewport = [viewport.x, viewport.y, viewport.width, viewport.height]
  }

  var drawing: SVGDrawing {
    SVGDrawing(
      size: PixelSize(width: sizes[0], height: sizes[1]),
      layout: SVGLayout(
        outputSize: PixelSize(width: sizes[2], height: sizes[3]),
        viewport: PixelRectangle(x: viewport[0], y: viewport[1], width: viewport[2], height: viewport[3])),
      limits: ImageLimits(pixelCount: pixelCount, sideLength: sideLength))
  }

  func message(with document: Data) throws -> Data { try JSONEncoder().encode(self) + Data("\n".utf8) + document }

  /// The request and the document of a message; `nil` if it is not one.
  static func read(_ message: Data) -> (SVGHelperRequest, Data)? {
    guard let end = message.firstIndex(of: UInt8(ascii: "\n")),
      let request = try? JSONDecoder().decode(SVGHelperRequest.self, from: message[..<end]),
      request.sizes.count == 4, request.viewport.count == 4
    else { return nil }
    return (request, Data(message[(end + 1)...]))
  }
}

/// The result of a helper process: one line of JSON, then the pixels unless it is an error.
struct SVGHelperReply: Codable {
  /// The most bytes of the line.
  static let headByteLimit = 64 << 10

  private var feature: String?
  private var reason: String?
  private var isOutOfMemory: Bool?

  init(_ result: Result<Bitmap, any Error>) {
    guard case .failure(let error) = result else { return }
    switch error {
    case ImageDecodingError.unsupportedFeature(_, let feature): self.feature = feature
    case ImageDecodingError.corrupt(_, let reason): self.reason = reason
    case ImageDecodingError.outOfMemory: isOutOfMemory = true
    default: reason = "\(error)"
    }
  }

  func write(_ result: Result<Bitmap, any Error>, to output: FileHandle) {
    guard let head = try? JSONEncoder().encode(self) + Data("\n".utf8) else { return }
    try? output.write(contentsOf: head)
    guard case .success(let bitmap) = result else { return }
    bitmap.withUnsafeBytes { pixels in
      guard let start = UnsafeMutableRawPointer(mutating: pixels.baseAddress) else { return }
      try? output.write(contentsOf: Data(bytesNoCopy: start, count: pixels.count, deallocator: .none))
    }
  }

  /// The drawing of this size in the output of a helper.
  ///
  /// - Throws: The error in the output, or one that says that it is incomplete.
  static func bitmap(in output: Data, of size: PixelSize) throws -> Bitmap {
    guard let end = output.prefix(headByteLimit).firstIndex(of: UInt8(ascii: "\n")),
      let reply = try? JSONDecoder().decode(SVGHelperReply.self, from: output[..<end])
    else { throw ImageDecodingError.corrupt(.svg, reason: "its helper process drew nothing") }
    if let feature = reply.feature { throw ImageDecodingError.unsupportedFeature(.svg, feature: feature) }
    if reply.isOutOfMemory == true { throw ImageDecodingError.outOfMemory(size) }
    if let reason = reply.reason { throw ImageDecodingError.corrupt(.svg, reason: reason) }
    let pixels = output[(end + 1)...]
    guard pixels.count == size.pixelCount * 4 else {
      throw ImageDecodingError.corrupt(.svg, reason: "its helper process drew \(pixels.count) bytes of \(size) pixels")
    }
    do {
      return try Bitmap(size: size, isOpaque: false) { pixels.copyBytes(to: $0) }
    } catch BitmapError.outOfMemory(let size) {
      throw ImageDecodingError.outOfMemory(size)
    }
  }
}
#endif
