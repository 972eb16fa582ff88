#if SVG && !IMAGEIO
import Foundation
import HalcyonImaging

/// The request to a helper process: one line of JSON, then the document.
struct SVGHelperRequest: Codable {
  let cpuSeconds: Int
  let byteCount: Int
  /// Whether the helper gives up what it does not need before it draws.
  let isConfined: Bool
  private let pixelCount: Int
  private let sideLength: Int
  private let size: SVGSize
  private let outputWidth: Int
  private let outputHeight: Int
  private let viewport: SIMD4<Double>
  private let rounding: SIMD2<Double>

  init(_ drawing: SVGDrawing, _ limits: IsolatedSVGDecoder.Limits, isConfined: Bool) {
    self.isConfined = isConfined
    (cpuSeconds, byteCount) = (max(1, limits.cpuSeconds), limits.byteCount)
    (pixelCount, sideLength) = (drawing.limits.pixelCount, drawing.limits.sideLength)
    let layout = drawing.layout
    (size, outputWidth, outputHeight) = (drawing.size, layout.outputSize.width, layout.outputSize.height)
    viewport = SIMD4(layout.viewport.x, layout.viewport.y, layout.viewport.width, layout.viewport.height)
    rounding = layout.rounding
  }

  var drawing: SVGDrawing {
    SVGDrawing(
      size: size,
      layout: SVGLayout(
        outputSize: PixelSize(width: outputWidth, height: outputHeight),
        viewport: PixelRectangle(x: viewport.x, y: viewport.y, width: viewport.z, height: viewport.w),
        rounding: rounding),
      limits: ImageLimits(pixelCount: pixelCount, sideLength: sideLength))
  }

  func message(with document: Data) throws -> Data { try JSONEncoder().encode(self) + Data("\n".utf8) + document }

  /// The request and the document of a message; `nil` if it is not one.
  static func read(_ message: Data) -> (SVGHelperRequest, Data)? {
    guard let end = message.firstIndex(of: UInt8(ascii: "\n")),
      let request = try? JSONDecoder().decode(SVGHelperRequest.self, from: message[..<end])
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
  /// The raw values of the content that the drawing does not show.
  private var droppedContent: [String]?
  /// Whether the kernel has confined the helper.
  private(set) var isConfined: Bool?

  init(_ result: Result<SVGDrawing.Output, any Error>, isConfined: Bool) {
    self.isConfined = isConfined
    switch result.map(\.droppedContent) {
    case .success(let content): droppedContent = content.map(\.rawValue)
    case .failure(let error): set(error)
    }
  }

  private mutating func set(_ error: any Error) {
    switch error {
    case ImageDecodingError.unsupportedFeature(_, let feature): self.feature = feature
    case ImageDecodingError.corrupt(_, let reason): self.reason = reason
    case ImageDecodingError.outOfMemory: isOutOfMemory = true
    default: reason = "\(error)"
    }
  }

  func write(_ result: Result<SVGDrawing.Output, any Error>, to output: FileHandle) {
    guard let head = try? JSONEncoder().encode(self) + Data("\n".utf8) else { return }
    try? output.write(contentsOf: head)
    guard case .success(let drawn) = result else { return }
    drawn.bitmap.withUnsafeBytes { pixels in
      guard let start = UnsafeMutableRawPointer(mutating: pixels.baseAddress) else { return }
      try? output.write(contentsOf: Data(bytesNoCopy: start, count: pixels.count, deallocator: .none))
    }
  }

  /// The reply in the output of a helper, and the drawing of this size after it.
  ///
  /// - Throws: The error in the output, or one that says that it is incomplete.
  static func read(_ output: Data, of size: PixelSize) throws -> (reply: SVGHelperReply, drawing: SVGDrawing.Output) {
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
    let bitmap = try Bitmap(size: size, isOpaque: false) { pixels.copyBytes(to: $0) }
    let dropped = (reply.droppedContent ?? []).compactMap { DroppedContent(rawValue: $0) }
    return (reply, SVGDrawing.Output(bitmap: bitmap, droppedContent: Set(dropped)))
  }
}
#endif
