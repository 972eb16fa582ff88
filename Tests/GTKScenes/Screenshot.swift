#if GTK
import CHalcyonGTK
import Foundation

/// The pixels of a widget, rendered by its window's renderer.
struct Screenshot: Equatable {
  let width: Int
  let height: Int
  private let pixels: [UInt8]

  @MainActor
  init(of widget: UnsafeMutablePointer<GtkWidget>, in window: UnsafeMutablePointer<GtkWidget>) throws {
    width = Int(gtk_widget_get_width(widget))
    height = Int(gtk_widget_get_height(widget))
    guard width > 0, height > 0, let paintable = gtk_widget_paintable_new(widget), let snapshot = gtk_snapshot_new()
    else { throw Stage.Failure(description: "the widget has no size") }
    defer { g_object_unref(gpointer(paintable)) }
    gdk_paintable_snapshot(paintable, snapshot, Double(width), Double(height))
    var pixels = [UInt8](repeating: 0, count: width * height * 4)
    if let node = gtk_snapshot_free_to_node(snapshot) {
      defer { gsk_render_node_unref(node) }
      var bounds = graphene_rect_t(
        origin: graphene_point_t(x: 0, y: 0), size: graphene_size_t(width: Float(width), height: Float(height)))
      guard let texture = gsk_renderer_render_texture(gtk_native_get_renderer(OpaquePointer(window)), node, &bounds)
      else { throw Stage.Failure(description: "gsk_renderer_render_texture failed") }
      defer { g_object_unref(gpointer(texture)) }
      gdk_texture_download(texture, &pixels, gsize(width * 4))
    }
    self.pixels = pixels
  }

  /// The colour at a point, given as fractions of width and height. The byte order is Cairo's: blue, green, red, alpha.
  func color(x: Double, y: Double) -> Color {
    let start = (min(height - 1, Int(y * Double(height))) * width + min(width - 1, Int(x * Double(width)))) * 4
    return Color(
      red: Int(pixels[start + 2]), green: Int(pixels[start + 1]), blue: Int(pixels[start]),
      alpha: Int(pixels[start + 3]))
  }
}

/// A colour with premultiplied alpha, each component from 0 to 255.
struct Color: Hashable, CustomStringConvertible {
  var red: Int
  var green: Int
  var blue: Int
  var alpha = 255

  static let clear = Color(red: 0, green: 0, blue: 0, alpha: 0)
  static let red = Color(red: 255, green: 0, blue: 0)
  static let green = Color(red: 0, green: 255, blue: 0)
  static let blue = Color(red: 0, green: 0, blue: 255)

  var description: String { "(\(red), \(green), \(blue), \(alpha))" }

  func isNear(_ other: Color, tolerance: Int) -> Bool {
    abs(red - other.red) <= tolerance && abs(green - other.green) <= tolerance && abs(blue - other.blue) <= tolerance
      && abs(alpha - other.alpha) <= tolerance
  }

  /// The linear interpolation to another colour; `part` is from 0 to 1.
  func mixed(with other: Color, _ part: Double) -> Color {
    func mix(_ a: Int, _ b: Int) -> Int { Int((Double(a) + (Double(b) - Double(a)) * part).rounded()) }
    return Color(
      red: mix(red, other.red), green: mix(green, other.green), blue: mix(blue, other.blue),
      alpha: mix(alpha, other.alpha)
    )
  }
}
#endif
