#if SVG && !IMAGEIO
public import HalcyonImaging
import CRSVG
public import Foundation

/// Renders SVG through librsvg directly at the target size, which can be larger than its own size; nothing is
/// resampled.
///
/// Scripts are not run, and no external resources are loaded: no other files, URLs or style sheets. Images inside the
/// document have to be PNG, JPEG, GIF or WebP within the limits. A document that would take too long to draw, too much
/// memory, or more than 100 nested elements and references is an error that names what is too much. A document without
/// a size has that of its view box, else 300x150 pixels, as in browsers.
///
/// A drawing has a thread of its own. librsvg cannot be interrupted: when decoding is cancelled, the caller's thread
/// returns at once, and the drawing ends on its own.
public struct SVGDecoder: ImageDecoder {
  /// Creates a decoder; it has no state.
  public init() {}

  /// SVG only.
  public let formats: Set<ImageFormat> = [.svg]

  /// Reads up to the end of the start tag of the root element.
  public func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    let size = try bytes.withUnsafeBytes { try SVGHeaderParser.size(of: $0) }
    if size == nil, isComplete { throw ImageDecodingError.truncated(.svg) }
    return size.map { ImageInfo(format: .svg, storedSize: $0, hasAlpha: true) }
  }

  /// Renders a complete file at the target size.
  public func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    let (info, drawing) = try drawing(of: bytes, options: options)
    return DecodedImage(bitmap: try drawing.bitmap(of: bytes, isCancelled: options.isCancelled), info: info)
  }

  /// The properties of a document and how it is drawn, within the limits.
  func drawing(of bytes: Data, options: DecodingOptions) throws -> (ImageInfo, SVGDrawing) {
    guard let info = try probe(bytes, isComplete: true) else { throw ImageDecodingError.truncated(.svg) }
    guard options.size.isValid else { throw ImageDecodingError.invalidTargetSize(options.size) }
    try options.limits.check(info.storedSize, format: .svg)
    let scale = options.size.enlargement(of: info.storedSize)
    let layout = SVGLayout(size: info.storedSize, scale: scale, target: options.size)
    try options.limits.check(layout.outputSize, format: .svg)
    return (info, SVGDrawing(size: info.storedSize, layout: layout, limits: options.limits))
  }
}

/// A document to draw.
struct SVGDrawing: Sendable {
  /// The size of the document.
  let size: PixelSize
  let layout: SVGLayout
  let limits: ImageLimits

  /// Checks the document, and draws it on a thread of its own.
  func bitmap(of bytes: Data, isCancelled: () -> Bool) throws -> Bitmap {
    do {
      return try SVGThread.run(isCancelled: isCancelled) {
        let elements = try bytes.withUnsafeBytes { try SVGParser.elements(of: $0) }
        let tree = try SVGSanitizer.tree(of: elements, limits: limits)
        try SVGCost.check(tree, size: size, canvas: layout.canvasSize, limits: limits)
        return try SVGDocument(tree.text).render(layout)
      }
    } catch BitmapError.outOfMemory(let size) {
      throw ImageDecodingError.outOfMemory(size)
    }
  }
}

/// A document loaded by librsvg. It has no base URL, so it can only refer to itself.
private struct SVGDocument: ~Copyable {
  private static let dotsPerInch = 96.0

  private let handle: UnsafeMutablePointer<RsvgHandle>

  init(_ text: String) throws(ImageDecodingError) {
    var error: UnsafeMutablePointer<GError>?
    let bytes = Array(text.utf8)
    guard let handle = rsvg_handle_new_from_data(bytes, gsize(bytes.count), &error) else {
      throw Self.decodingError(error)
    }
    self.handle = handle
    rsvg_handle_set_dpi(handle, Self.dotsPerInch)
  }

  deinit { g_object_unref(handle) }

  func render(_ layout: SVGLayout) throws -> Bitmap {
    let size = layout.outputSize
    return try Bitmap(size: size, isOpaque: false) { output in
      guard let start = output.bindMemory(to: UInt8.self).baseAddress else { return }
      let surface = cairo_image_surface_create_for_data(
        start, CAIRO_FORMAT_ARGB32, Int32(size.width), Int32(size.height), Int32(size.width * 4))
      defer { cairo_surface_destroy(surface) }
      try render(layout.viewport, on: surface)
      Self.swapRedAndBlue(start, count: size.pixelCount)
    }
  }

  private func render(_ viewport: PixelRectangle, on surface: OpaquePointer?) throws(ImageDecodingError) {
    let context = cairo_create(surface)
    defer { cairo_destroy(context) }
    var rectangle = RsvgRectangle(x: viewport.x, y: viewport.y, width: viewport.width, height: viewport.height)
    var error: UnsafeMutablePointer<GError>?
    guard rsvg_handle_render_document(handle, context, &rectangle, &error) != 0 else { throw Self.decodingError(error) }
    cairo_surface_flush(surface)
    let status = cairo_status(context)
    guard status == CAIRO_STATUS_SUCCESS else {
      throw .unsupportedFeature(
        .svg, feature: "something that cairo cannot draw (\(String(cString: cairo_status_to_string(status))))")
    }
  }

  /// Converts cairo's native-endian ARGB to RGBA.
  private static func swapRedAndBlue(_ pixels: UnsafeMutablePointer<UInt8>, count: Int) {
    UnsafeMutableRawPointer(pixels).withMemoryRebound(to: UInt32.self, capacity: count) { pixels in
      for index in 0..<count {
        let pixel = pixels[index]
        let swapped = pixel & 0xFF00_FF00 | pixel >> 16 & 0xFF | (pixel & 0xFF) << 16
        pixels[index] = swapped.littleEndian
      }
    }
  }

  private static func decodingError(_ error: UnsafeMutablePointer<GError>?) -> ImageDecodingError {
    defer { if let error { g_error_free(error) } }
    guard let error else { return .corrupt(.svg, reason: "librsvg cannot read it") }
    let lines = String(cString: error.pointee.message).split(whereSeparator: \.isNewline)
    return .corrupt(.svg, reason: lines.joined(separator: " "))
  }
}

/// The position of a document on its output pixels.
struct SVGLayout: Hashable, Sendable {
  let outputSize: PixelSize
  /// The rectangle of the whole document, in output pixels; it can extend beyond the output.
  let viewport: PixelRectangle

  /// The size of the temporary surfaces of librsvg, which cover the viewport.
  var canvasSize: PixelSize {
    PixelSize(
      width: max(outputSize.width, Int(viewport.width.rounded(.up))),
      height: max(outputSize.height, Int(viewport.height.rounded(.up))))
  }

  init(outputSize: PixelSize, viewport: PixelRectangle) {
    self.outputSize = outputSize
    self.viewport = viewport
  }

  /// - Parameters:
  ///   - size: The size of the document.
  ///   - scale: The enlargement before the document is fitted to `target`, at least 1.
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
  /// The factor by which a document has to be enlarged to reach the target; 1 if it is large enough.
  fileprivate func enlargement(of size: PixelSize) -> Double {
    switch self {
    case .fit(let width, let height) where min(width, height) < .max:
      max(1, min(Double(width) / Double(size.width), Double(height) / Double(size.height)))
    case .fill(let width, let height) where max(width, height) < .max,
      .stretch(let width, let height) where max(width, height) < .max:
      max(1, Double(width) / Double(size.width), Double(height) / Double(size.height))
    default: 1
    }
  }
}
#endif
