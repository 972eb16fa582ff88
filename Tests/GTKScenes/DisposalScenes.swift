#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonTestSupport

/// Widgets that are destroyed while their activity indicator runs.
@MainActor
enum DisposalScenes {
  /// When the program's own handler of `destroy`, which sets the widget to no image and to another one, was connected.
  private enum Handler: CaseIterable {
    case none
    case beforeFirstImage
    case afterFirstImage
  }

  /// A widget that is being destroyed loads nothing, and is given no paintable: it would never be released.
  static func disposed(_ stage: Stage) async throws {
    g_log_set_always_fatal(GLogLevelFlags(G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_ERROR.rawValue))
    try await ImageServer.run { server in
      let url = server.serve("/a.png", .body(try SolidImage.png(.green)).held(by: Gate()))
      for make in [gtk_picture_new, gtk_image_new] {
        for handler in Handler.allCases {
          guard let widget = make() else { return }
          try await dispose(widget, stage, url, handler)
        }
      }
    }
  }

  private static func dispose(
    _ widget: UnsafeMutablePointer<GtkWidget>, _ stage: Stage, _ url: URL, _ handler: Handler
  ) async throws {
    let pipeline = ViewScenes.pipeline()
    let events = Events()
    let clear: @MainActor () -> Void = {
      widget.hc.setImage(with: nil as URL?, pipeline: pipeline)
      let load = widget.hc.setImage(with: url, pipeline: pipeline) { result in
        if case .failure(.superseded) = result { events.add("superseded") }
      }
      events.add(load == nil ? "ended" : "goes on")
    }
    if handler == .beforeFirstImage { DestroyHandler.connect(widget, clear) }
    try await stage.add(widget)
    var options = ImageViewOptions()
    options.indicator = .activity
    let outcome = Outcome()
    widget.hc.setImage(with: url, options: options, pipeline: pipeline, completion: outcome.take)
    if handler == .afterFirstImage { DestroyHandler.connect(widget, clear) }
    let first = try stage.screenshot(of: widget)
    // The indicator turns.
    while try stage.screenshot(of: widget) == first { await stage.nextFrame() }

    let (widgets, paintables) = (FinalizationCounter(), FinalizationCounter())
    widgets.watch(gpointer(widget))
    if let paintable = paintable(of: widget) { paintables.watch(gpointer(paintable)) }
    stage.remove(widget)
    try await stage.until("the widget is freed, handler: \(handler)", within: 100) { widgets.count == 1 }
    try await stage.until("its paintable is freed, handler: \(handler)", within: 100) { paintables.count == 1 }
    try await stage.until("the load has ended, handler: \(handler)", within: 100) { outcome.count == 1 }
    let expected: Set<String> = handler == .none ? [] : ["superseded", "ended"]
    try stage.require(Set(events.all) == expected, "handler: \(handler), \(events.all)")
  }

  /// Completions run before the widget is freed: they can use it, and set it to another image.
  static func completed(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let url = server.serve("/a.png", .body(try SolidImage.png(.green)).held(by: gate))
      for finishes in [false, true] {
        for endsWindow in [false, true] {
          guard let widget = gtk_picture_new() else { return }
          let window = endsWindow ? gtk_window_new() : nil
          try await complete(widget, in: window, stage, url, finishes)
        }
      }
      gate.open()
    }
  }

  private static func complete(
    _ widget: UnsafeMutablePointer<GtkWidget>, in window: UnsafeMutablePointer<GtkWidget>?, _ stage: Stage, _ url: URL,
    _ finishes: Bool
  ) async throws {
    if let window {
      gtk_widget_set_size_request(widget, 100, 100)
      gtk_window_set_child(OpaquePointer(window).as(GtkWindow.self), widget)
      gtk_window_present(OpaquePointer(window).as(GtkWindow.self))
      try await stage.until("the widget has an allocation") { gtk_widget_get_width(widget) >= 100 }
    } else {
      try await stage.add(widget)
    }
    gtk_widget_set_name(widget, "cell")
    let events = Events()
    events.watchEnd(of: widget)
    var options = ImageViewOptions()
    options.finishesSuperseded = finishes
    let pipeline = ViewScenes.pipeline()
    for number in 1...2 {
      widget.hc.setImage(with: url, options: options, pipeline: pipeline) { result in
        guard case .failure(.superseded) = result else { return events.add("\(number) ended with \(result)") }
        events.add("\(number) superseded, \(String(cString: gtk_widget_get_name(widget)))")
        guard number == 2 else { return }
        let load = widget.hc.setImage(with: url, pipeline: pipeline) { result in
          if case .failure(.superseded) = result { events.add("nested superseded") }
        }
        events.add(load == nil ? "nested ended" : "nested goes on")
      }
    }
    if let window { gtk_window_destroy(OpaquePointer(window).as(GtkWindow.self)) } else { stage.remove(widget) }
    try await stage.until("the widget is freed", within: 100) { events.all.contains("finalized") }
    for _ in 0..<5 { await stage.nextFrame() }
    let expected = [
      "1 superseded, cell", "2 superseded, cell", "nested superseded", "nested ended", "finalized",
    ]
    try stage.require(events.all == expected, "finishes: \(finishes), \(events.all)")
  }

  private static func paintable(of widget: UnsafeMutablePointer<GtkWidget>) -> OpaquePointer? {
    let instance = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self)
    return g_type_check_instance_is_a(instance, gtk_picture_get_type()) != 0
      ? gtk_picture_get_paintable(OpaquePointer(widget)) : gtk_image_get_paintable(OpaquePointer(widget))
  }
}

/// What has happened, in order.
@MainActor
private final class Events {
  private(set) var all: [String] = []

  func add(_ event: String) { all.append(event) }

  /// Adds an event when the widget is finalized.
  func watchEnd(of widget: UnsafeMutablePointer<GtkWidget>) {
    let object = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GObject.self)
    g_object_set_data_full(object, "halcyon-scenes-events", Unmanaged.passRetained(self).toOpaque()) { data in
      nonisolated(unsafe) let data = data
      MainActor.assumeIsolated {
        data.map { Unmanaged<Events>.fromOpaque($0).takeRetainedValue().add("finalized") }
      }
    }
  }
}

/// A handler of `destroy`, as programs have them.
@MainActor
private final class DestroyHandler {
  private let body: @MainActor () -> Void

  private init(_ body: @escaping @MainActor () -> Void) {
    self.body = body
  }

  static func connect(_ widget: UnsafeMutablePointer<GtkWidget>, _ body: @escaping @MainActor () -> Void) {
    typealias Handler = @convention(c) (gpointer?, gpointer?) -> Void
    let handler: Handler = { _, data in
      nonisolated(unsafe) let data = data
      MainActor.assumeIsolated {
        data.map { Unmanaged<DestroyHandler>.fromOpaque($0).takeUnretainedValue().body() }
      }
    }
    g_signal_connect_data(
      gpointer(widget), "destroy", unsafeBitCast(handler, to: GCallback.self),
      Unmanaged.passRetained(DestroyHandler(body)).toOpaque(),
      { data, _ in data.map { Unmanaged<DestroyHandler>.fromOpaque($0).release() } }, GConnectFlags(0))
  }
}
#endif
