#if SVG
public import HalcyonImaging
import CRSVG
public import Foundation

/// Draws SVG through librsvg at the wanted size, larger than its own where that is wanted: nothing is resampled.
///
/// Scripts are not run, and nothing outside the file is read: no other files, no addresses, no style sheets. A drawing
/// without a size has that of its view box, else 300x150 pixels, as in browsers. Drawing cannot be interrupted once it
/// has begun.
public struct SVGDecoder: ImageDecoder {
  /// Creates a decoder; it holds nothing.
  public init() {}

  /// SVG alone.
  public let formats: Set<ImageFormat> = [.svg]

  /// Reads up to the end of the tag that opens the drawing.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    let size = try bytes.withUnsafeBytes { try SVGHeaderParser.size(of: $0) }
    if size == nil, isComplete { throw ImageDecodingError.truncated(.svg) }
    return size.map { ImageInfo(format: .svg, storedSize: $0, hasAlpha: true) }
  }

  /// Draws a whole file at the wanted size.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    guard let info = try probe(bytes, isComplete: true) else { throw ImageDecodingError.truncated(.svg) }
    guard options.size.isValid else { throw ImageDecodingError.invalidTargetSize(options.size) }
    try options.limits.check(info.storedSize, format: .svg)
    let scale = options.size.enlargement(of: info.storedSize)
    let drawing = ScaledDrawing(size: info.storedSize, scale: scale, target: options.size)
    try options.limits.check(drawing.outputSize, format: .svg)
    if options.isCancelled() { throw ImageDecodingError.cancelled }
    do {
      let bitmap = try bytes.withUnsafeBytes { buffer in
        try SVGComplexity.check(buffer)
        return try SVGDocument(buffer).draw(drawing)
      }
      return DecodedImage(bitmap: bitmap, info: info)
    } catch BitmapError.outOfMemory(let size) {
      throw ImageDecodingError.outOfMemory(size)
    }
  }
}

/// A drawing that librsvg has read. It has no address, so that it can refer to nothing but itself.
private struct SVGDocument: ~Copyable {
  private static let dotsPerInch = 96.0

  private let handle: UnsafeMutablePointer<RsvgHandle>

  init(_ bytes: UnsafeRawBufferPointer) throws(ImageDecodingError) {
    var error: UnsafeMutablePointer<GError>?
    guard
      let handle = rsvg_handle_new_from_data(bytes.bindMemory(to: UInt8.self).baseAddress, gsize(bytes.count), &error)
    else { throw Self.refusal(error) }
    self.handle = handle
    rsvg_handle_set_dpi(handle, Self.dotsPerInch)
  }

  deinit { g_object_unref(handle) }

  func draw(_ drawing: ScaledDrawing) throws -> Bitmap {
    let size = drawing.outputSize
    return try Bitmap(size: size, isOpaque: false) { output in
      guard let start = output.bindMemory(to: UInt8.self).baseAddress else { return }
      let surface = cairo_image_surface_create_for_data(
        start, CAIRO_FORMAT_ARGB32, Int32(size.width), Int32(size.height), Int32(size.width * 4))
      defer { cairo_surface_destroy(surface) }
      try render(drawing.viewport, on: surface)
      Self.swapRedAndBlue(start, count: size.pixelCount)
    }
  }

  private func render(_ viewport: PixelRectangle, on surface: OpaquePointer?) throws(ImageDecodingError) {
    let context = cairo_create(surface)
    defer { cairo_destroy(context) }
    var rectangle = RsvgRectangle(x: viewport.x, y: viewport.y, width: viewport.width, height: viewport.height)
    var error: UnsafeMutablePointer<GError>?
    guard rsvg_handle_render_document(handle, context, &rectangle, &error) != 0 else { throw Self.refusal(error) }
    cairo_surface_flush(surface)
    let status = cairo_status(context)
    guard status == CAIRO_STATUS_SUCCESS else {
      throw .unsupportedFeature(
        .svg, feature: "what cairo cannot draw (\(String(cString: cairo_status_to_string(status))))")
    }
  }

  /// cairo has alpha in the highest byte of a number, and blue in the lowest.
  private static func swapRedAndBlue(_ pixels: UnsafeMutablePointer<UInt8>, count: Int) {
    UnsafeMutableRawPointer(pixels).withMemoryRebound(to: UInt32.self, capacity: count) { pixels in
      for index in 0..<count {
        let pixel = pixels[index]
        let swapped = pixel & 0xFF00_FF00 | pixel >> 16 & 0xFF | (pixel & 0xFF) << 16
        pixels[index] = swapped.littleEndian
      }
    }
  }

  private static func refusal(_ error: UnsafeMutablePointer<GError>?) -> ImageDecodingError {
    defer { if let error { g_error_free(error) } }
    guard let error else { return .corrupt(.svg, reason: "librsvg cannot read it") }
    let lines = String(cString: error.pointee.message).split(whereSeparator: \.isNewline)
    return .corrupt(.svg, reason: lines.joined(separator: " "))
  }
}

/// Where a drawing lies on the pixels of its result.
private struct ScaledDrawing {
  let outputSize: PixelSize
  /// The whole drawing, in pixels of the result; parts may lie outside.
  let viewport: PixelRectangle

  /// - Parameters:
  ///   - size: The drawing's own.
  ///   - scale: How much larger it is drawn than that, before it is fitted into `target`.
  init(size: PixelSize, scale: Double, target: TargetSize) {
    let enlarged = PixelSize(
      width: max(size.width, Int((Double(size.width) * scale).rounded())),
      height: max(size.height, Int((Double(size.height) * scale).rounded())))
    let geometry = target.geometry(for: enlarged)
    let window = geometry.window
    let (x, y) = (Double(geometry.outputSize.width) / window.width, Double(geometry.outputSize.height) / window.height)
    outputSize = geometry.outputSize
    viewport = PixelRectangle(
      x: -window.x * x, y: -window.y * y, width: Double(enlarged.width) * x, height: Double(enlarged.height) * y)
  }
}

extension TargetSize {
  /// How much a drawing of some size has to grow to be as large as the target; 1 where it is large enough.
  fileprivate func enlargement(of size: PixelSize) -> Double {
    switch self {
    case .fit(let width, let height) where min(width, height) < .max:
      max(1, min(Double(width) / Double(size.width), Double(height) / Double(size.height)))
    case .fill(let width, let height) where max(width, height) < .max:
      max(1, Double(width) / Double(size.width), Double(height) / Double(size.height))
    default: 1
    }
  }
}
#endif
