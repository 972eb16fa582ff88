#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonTestSupport

/// A thousand views of all kinds, each destroyed in one of the states of its load. Nothing of them remains.
@MainActor
enum LeakScene {
  private static let (roundCount, viewCount) = (20, 50)

  static func play(_ stage: Stage) async throws {
    g_log_set_always_fatal(GLogLevelFlags(G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_ERROR.rawValue))
    // Only a window that is shown has frames.
    _ = try await stage.addPicture(width: 10, height: 10)
    try await ImageServer.run { server in
      let gate = Gate()
      let images = Images(
        shown: server.serve("/shown.png", .body(try SolidImage.png(.green, width: 40, height: 40))),
        held: server.serve("/held.png", .body(try SolidImage.png(.red)).held(by: gate)),
        missing: server.serve("/missing.png", .status(404)),
        animated: server.serve("/animated.gif", .body(TinyGIF.animation(reds: [0, 80, 160]))))
      let remains = Remains()
      try await useViews(images, remains, stage)
      for _ in 0..<300 where remains.all.contains(where: { $0.value > 0 }) { await stage.nextFrame() }
      try stage.require(remains.all.allSatisfy { $0.value == 0 }, "these remain: \(remains.all)")
      try stage.require(remains.watchedCount >= 2 * roundCount * viewCount, "only \(remains.watchedCount) were watched")
      let completions = remains.completionCount
      try stage.require(completions == roundCount * viewCount, "\(completions) completions were called")
      gate.open()
    }
  }

  private static func useViews(_ images: Images, _ remains: Remains, _ stage: Stage) async throws {
    let pipeline = ViewScenes.pipeline()
    remains.pipeline = pipeline
    for round in 0..<roundCount {
      guard let window = gtk_window_new(), let box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0) else { return }
      gtk_window_set_child(window.cast(), box)
      let views = try (0..<viewCount).map { number in
        let view = try LeakedView(
          LeakedView.Kind.allCases[number % 5], LeakedView.State.allCases[(number / 5 + round) % 6])
        gtk_box_append(box.cast(), view.widget)
        view.load(images, pipeline, remains)
        return view
      }
      gtk_window_present(window.cast())
      try await stage.until("the views are in their states") { views.allSatisfy { $0.isReady } }
      for view in views { view.hideIfReleased() }
      await stage.nextFrame()
      for view in views { remains.watch(view) }
      // One half with their window, the other half before it.
      if round % 2 == 0 { for view in views { gtk_box_remove(box.cast(), view.widget) } }
      gtk_window_destroy(window.cast())
    }
    try await stage.until("all loads have ended") { pipeline.activeJobCount == 0 }
    pipeline.cache.memory.removeAll()
  }

  struct Images {
    let shown, held, missing, animated: URL
  }
}

/// A view that is destroyed in a state.
@MainActor
private final class LeakedView {
  enum Kind: CaseIterable { case picture, image, overlay, paintable, builder }
  enum State: CaseIterable { case loading, shown, fading, failed, animating, released }

  let widget: UnsafeMutablePointer<GtkWidget>
  let hc: ImageViewProxy
  private let state: State
  /// Keeps a view that is an object of Swift.
  private var owner: AnyObject?

  init(_ kind: Kind, _ state: State) throws {
    self.state = state
    var owner: AnyObject?
    let widget: UnsafeMutablePointer<GtkWidget>?
    var hc: ImageViewProxy?
    switch kind {
    case .picture: widget = gtk_picture_new()
    case .image: widget = gtk_image_new()
    case .overlay:
      let view = PictureView()
      (widget, hc, owner) = (view.widget, view.hc, view)
    case .paintable:
      let paintable = LoadingPaintable(width: 20, height: 20)
      (widget, hc, owner) = (gtk_image_new_from_paintable(paintable.pointer), paintable.hc, paintable)
    case .builder:
      widget = g_object_new_with_properties(PictureWidget.register(), 0, nil, nil).map { $0.cast() }
    }
    guard let widget else { throw Stage.Failure(description: "GTK cannot create a view") }
    gtk_widget_set_size_request(widget, 20, 20)
    (self.widget, self.hc, self.owner) = (widget, hc ?? widget.hc, owner)
  }

  func load(_ images: LeakScene.Images, _ pipeline: ImagePipeline, _ remains: Remains) {
    var options = ImageViewOptions(
      failure: .shows(.icon("image-missing-symbolic")), indicator: state == .loading ? .activity : .progress,
      transition: state == .fading ? .crossFade(.seconds(60)) : .crossFade(.milliseconds(1)), retriesOnTap: true)
    options.onlyWhileVisible = state == .released
    let url =
      switch state {
      case .loading: images.held
      case .failed: images.missing
      case .animating: images.animated
      case .shown, .fading, .released: images.shown
      }
    let load = hc.setImage(
      with: url, placeholder: .icon("image-x-generic-symbolic"), options: options, pipeline: pipeline
    ) { _ in remains.completionCount += 1 }
    remains.add(hc.binder, load)
  }

  /// Whether the view is in its state, apart from being hidden.
  var isReady: Bool {
    switch state {
    case .loading: hc.isLoading
    case .failed: hc.phase.error != nil
    case .shown, .fading, .animating, .released: hc.binder.content.role == .image
    }
  }

  func hideIfReleased() {
    if state == .released { gtk_widget_set_visible(widget, 0) }
  }
}

/// What remains of views that have been destroyed.
@MainActor
private final class Remains {
  private struct Weak<Object: AnyObject> { weak var object: Object? }

  weak var pipeline: ImagePipeline?
  var completionCount = 0
  private let finalizations = FinalizationCounter()
  /// Widgets and paintables that there were.
  private(set) var watchedCount = 0
  private var binders: [Weak<ImageViewBinder>] = []
  private var loads: [Weak<ImageViewLoad>] = []

  /// The number of each kind. A task or a transfer that remains retains the pipeline.
  var all: KeyValuePairs<String, Int> {
    [
      "widgets and paintables": watchedCount - finalizations.count,
      "binders": binders.count { $0.object != nil }, "loads": loads.count { $0.object != nil },
      "textures": SharedTextures.all.count, "pipelines": pipeline == nil ? 0 : 1,
    ]
  }

  func add(_ binder: ImageViewBinder, _ load: ImageViewLoad?) {
    binders.append(Weak(object: binder))
    loads.append(Weak(object: load))
  }

  /// Counts the widget, its children and their paintables until they are finalized.
  func watch(_ view: LeakedView) { watch(view.widget) }

  private func watch(_ widget: UnsafeMutablePointer<GtkWidget>) {
    watch(gpointer(widget))
    let instance = UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self)
    let isPicture = g_type_check_instance_is_a(instance, gtk_picture_get_type()) != 0
    let isImage = g_type_check_instance_is_a(instance, gtk_image_get_type()) != 0
    if isPicture, let paintable = gtk_picture_get_paintable(widget.opaque) { watch(gpointer(paintable)) }
    if isImage, let paintable = gtk_image_get_paintable(widget.opaque) { watch(gpointer(paintable)) }
    var child = gtk_widget_get_first_child(widget)
    while let next = child {
      watch(next)
      child = gtk_widget_get_next_sibling(next)
    }
  }

  private func watch(_ object: gpointer) {
    watchedCount += 1
    finalizations.watch(object)
  }
}
#endif
