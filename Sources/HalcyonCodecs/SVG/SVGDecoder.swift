#if SVG && !IMAGEIO
package import HalcyonImaging
import CHalcyonRSVG
package import Foundation

/// Renders SVG through librsvg directly at the target size, which can be larger than its own size; nothing is
/// resampled.
///
/// Scripts are not run, and no external resources are loaded: no other files, URLs or style sheets. Images inside the
/// document, drawings too, are decoded within the limits; those that cannot be decoded are left out and reported as
/// `DroppedContent.embeddedImages`. Features that librsvg does not draw, and selectors and values with over 16 levels
/// of brackets, are reported as `DroppedContent.svgFeatures`. A document that would take too long, too much memory, or
/// more than 100 nested elements and references is an error that names the limit. A document without a size has that of
/// its view box, else 300x150 pixels, as in browsers. Files compressed by gzip (`.svgz`) are decompressed to at most 64
/// MiB.
///
/// A drawing has a thread of its own. librsvg cannot be interrupted: when decoding is cancelled, the caller's thread
/// returns at once, and the drawing ends on its own.
package struct SVGDecoder: ImageDecoder {
  package init() {}

  package let formats: Set<ImageFormat> = [.svg]
  package var decodesRegions: Bool { true }

  /// Reads up to the end of the start tag of the root element.
  package func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    let size = try SVGHeaderParser.size(of: SVGFile.head(of: bytes))
    if size == nil, isComplete { throw ImageDecodingError.truncated(.svg) }
    return size.map { ImageInfo(format: .svg, storedSize: $0.pixels, hasAlpha: true) }
  }

  /// Renders a complete file at the target size.
  package func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    let drawing = try drawing(of: bytes, options: options)
    return drawing.image(try drawing.output(of: bytes, isCancelled: options.isCancelled))
  }

  /// How a document is drawn, within the limits.
  func drawing(of bytes: Data, options: DecodingOptions) throws -> SVGDrawing {
    guard let size = try SVGHeaderParser.size(of: SVGFile.head(of: bytes)) else {
      throw ImageDecodingError.truncated(.svg)
    }
    let layout = try SVGLayout(size: size, target: options.size, region: options.region, limits: options.limits)
    return SVGDrawing(size: size, layout: layout, limits: options.limits)
  }
}

/// A document to draw.
struct SVGDrawing: Sendable {
  /// The pixels of a document, and the content that they do not show.
  struct Output: Sendable {
    let bitmap: Bitmap
    let droppedContent: Set<DroppedContent>
  }

  let size: SVGSize
  let layout: SVGLayout
  let limits: ImageLimits

  func image(_ output: Output) -> DecodedImage {
    let info = ImageInfo(
      format: .svg, storedSize: size.pixels, hasAlpha: true, droppedContent: output.droppedContent)
    return DecodedImage(bitmap: output.bitmap, info: info)
  }

  /// Checks the document, and draws it on a thread of its own.
  func output(of file: Data, isCancelled: () -> Bool) throws -> Output {
    try SVGThread.run(isCancelled: isCancelled) {
      var budget = SVGBudget()
      let bitmap = try bitmap(of: file, &budget)
      return Output(bitmap: bitmap, droppedContent: budget.droppedContent)
    }
  }

  /// Checks the document, and draws it on the current thread.
  func bitmap(of file: Data, _ budget: inout SVGBudget) throws -> Bitmap {
    let document = try SVGFile.document(in: file)
    let elements = try document.withUnsafeBytes { try SVGParser.elements(of: $0) }
    let tree = try SVGSanitizer.tree(of: elements, drawing: self, &budget)
    try SVGCost.check(tree, drawing: self, &budget)
    return try SVGDocument(tree.text).render(layout, over: SVGBackground.tree(of: tree))
  }
}

/// The share of the limits that a document and its inner drawings have used together, and the content that they drop.
struct SVGBudget {
  /// The work so far, in the units of ``SVGCost``.
  var units = 0.0
  /// The number of pixels of the images inside.
  var embeddedPixelCount = 0
  /// The encoded bytes of images that were decoded.
  var embeddedByteCount = 0
  /// The names of font families.
  var fonts: Set<String> = []
  /// How many drawings the current one is inside of.
  var depth = 0
  var droppedContent: Set<DroppedContent> = []

  mutating func drop(_ content: DroppedContent) { droppedContent.insert(content) }

  mutating func addFonts(of declarations: [SVGDeclaration]) {
    for declaration in declarations where declaration.name == "font-family" || declaration.name == "font" {
      fonts.insert(declaration.value)
    }
  }

  /// Adds the work for images inside.
  mutating func charge(_ units: Double) throws(ImageDecodingError) {
    self.units += units
    guard self.units <= SVGCost.unitLimit else {
      throw SVGSanitizer.refused("images inside it that take too long to decode")
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

  func render(_ layout: SVGLayout, over background: SVGTree?) throws -> Bitmap {
    let size = layout.outputSize
    return try Bitmap(size: size, isOpaque: false) { output in
      guard let start = output.bindMemory(to: UInt8.self).baseAddress else { return }
      let surface = cairo_image_surface_create_for_data(
        start, CAIRO_FORMAT_ARGB32, Int32(size.width), Int32(size.height), Int32(size.width * 4))
      defer { cairo_surface_destroy(surface) }
      if let background { try SVGDocument(background.text).render(layout, on: surface) }
      try render(layout, on: surface)
      Self.swapRedAndBlue(start, count: size.pixelCount)
    }
  }

  private func render(_ layout: SVGLayout, on surface: OpaquePointer?) throws(ImageDecodingError) {
    let context = cairo_create(surface)
    defer { cairo_destroy(context) }
    cairo_translate(context, layout.viewport.x, layout.viewport.y)
    let rounding = layout.rounding
    cairo_scale(context, rounding.x, rounding.y)
    var rectangle = RsvgRectangle(
      x: 0, y: 0, width: layout.viewport.width / rounding.x, height: layout.viewport.height / rounding.y)
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
    // Newer versions of librsvg have this limit, half as deep as the parser's.
    if lines.contains(where: { $0.contains("nested layers") }) {
      return .unsupportedFeature(.svg, feature: SVGParser.tooManyLayers)
    }
    return .corrupt(.svg, reason: lines.joined(separator: " "))
  }
}
#endif
