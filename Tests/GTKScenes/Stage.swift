#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonTestSupport

/// The window of a scene, with waiting and assertions.
@MainActor
final class Stage {
  /// The reason why a scene failed.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private(set) var window: UnsafeMutablePointer<GtkWidget>
  private let box: UnsafeMutablePointer<GtkWidget>

  init() {
    guard let window = gtk_window_new(), let box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0) else {
      preconditionFailure("GTK cannot create a window")
    }
    (self.window, self.box) = (window, box)
    gtk_window_set_child(OpaquePointer(window).as(GtkWindow.self), box)
    gtk_window_set_decorated(OpaquePointer(window).as(GtkWindow.self), 0)
  }

  /// Adds a `GtkPicture` with a minimum size, and waits until it has an allocation.
  func addPicture(width: Int = 100, height: Int = 100) async throws -> UnsafeMutablePointer<GtkWidget> {
    guard let picture = gtk_picture_new() else { throw Failure(description: "GTK cannot create a picture") }
    try await add(picture, width: width, height: height)
    return picture
  }

  /// Adds a widget with a minimum size, and waits until it has an allocation.
  func add(_ widget: UnsafeMutablePointer<GtkWidget>, width: Int = 100, height: Int = 100) async throws {
    append(widget, width: width, height: height)
    try await until("the widget has an allocation") { gtk_widget_get_width(widget) >= width }
  }

  /// Adds a widget with a minimum size. It has no allocation yet.
  func append(_ widget: UnsafeMutablePointer<GtkWidget>, width: Int = 100, height: Int = 100) {
    gtk_widget_set_size_request(widget, gint(width), gint(height))
    gtk_widget_set_halign(widget, GTK_ALIGN_START)
    gtk_widget_set_valign(widget, GTK_ALIGN_START)
    gtk_box_append(OpaquePointer(box).as(GtkBox.self), widget)
    gtk_window_present(OpaquePointer(window).as(GtkWindow.self))
  }

  /// Waits until `condition` holds, and fails if it does not within a number of frames.
  func until(_ what: String, within frameCount: Int, _ condition: () -> Bool) async throws {
    for _ in 0..<frameCount where !condition() { await nextFrame() }
    try require(condition(), "within \(frameCount) frames: not \(what)")
  }

  func remove(_ widget: UnsafeMutablePointer<GtkWidget>) {
    gtk_box_remove(OpaquePointer(box).as(GtkBox.self), widget)
  }

  /// Waits until `condition` holds, checking it after each frame. `what` describes it to the reader.
  func until(_ what: String, _ condition: () -> Bool) async throws {
    while !condition() { await nextFrame() }
  }

  /// Waits until the next frame has been painted.
  @discardableResult
  func nextFrame() async -> Frame {
    await withCheckedContinuation { continuation in
      _ = FrameWaiter(window, continuation)
    }
  }

  /// Whether no other frame has begun since `frame`, so that a screenshot shows its state.
  func isLast(_ frame: Frame) -> Bool {
    gdk_frame_clock_get_frame_counter(gtk_widget_get_frame_clock(window)) == frame.number
  }

  func require(_ condition: Bool, _ claim: @autoclosure () -> String) throws {
    guard condition else { throw Failure(description: claim()) }
  }

  func screenshot(of widget: UnsafeMutablePointer<GtkWidget>) throws -> Screenshot {
    try Screenshot(of: widget, in: window)
  }

  /// Writes a picture of the window, for eyes.
  func saveScreenshot(_ file: String) {
    let (width, height) = (gtk_widget_get_width(window), gtk_widget_get_height(window))
    guard let paintable = gtk_widget_paintable_new(window), let snapshot = gtk_snapshot_new() else { return }
    gdk_paintable_snapshot(paintable, snapshot, Double(width), Double(height))
    guard let node = gtk_snapshot_free_to_node(snapshot) else { return }
    var bounds = graphene_rect_t(
      origin: graphene_point_t(x: 0, y: 0), size: graphene_size_t(width: Float(width), height: Float(height)))
    let texture = gsk_renderer_render_texture(gtk_native_get_renderer(OpaquePointer(window)), node, &bounds)
    gdk_texture_save_to_png(texture, file)
  }

  /// Checks the colour at a point, given as fractions of the widget's width and height, after the next frame.
  func require(
    _ widget: UnsafeMutablePointer<GtkWidget>, x: Double = 0.5, y: Double = 0.5, is color: Color, tolerance: Int = 3
  ) async throws {
    await nextFrame()
    let found = try screenshot(of: widget).color(x: x, y: y)
    try require(found.isNear(color, tolerance: tolerance), "the colour at \(x), \(y) is \(found), not \(color)")
  }
}

extension OpaquePointer {
  /// The same pointer, typed.
  func `as`<Pointee>(_ type: Pointee.Type) -> UnsafeMutablePointer<Pointee> { UnsafeMutablePointer<Pointee>(self) }
}
#endif
