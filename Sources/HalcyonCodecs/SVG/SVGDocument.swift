#if SVG
import HalcyonImaging
import CRSVG

/// A drawing that librsvg has read. It has no address, so that it can refer to nothing but itself.
struct SVGDocument: ~Copyable {
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
#endif
