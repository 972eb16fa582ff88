#if GTK
import HalcyonPipeline
import HalcyonViews
import CGTK

/// The display of one `GtkPicture` or `GtkImage`: what it shows is drawn by a canvas that is set as its paintable.
///
/// It lives as long as the widget, which owns it: see ``WidgetBinding``.
@MainActor
final class WidgetDisplay: ImageDisplay {
  let canvas: ImagePaintable
  /// Called when the room, the scale or the mode may have changed.
  var onChange: (@MainActor () -> Void)?
  /// Called when the widget comes into sight or leaves it.
  var onVisibilityChange: (@MainActor (Bool) -> Void)?

  private let kind: WidgetKind
  private let widget: UnsafeMutablePointer<GtkWidget>
  private let object: ObjectReference
  private let overlay: ViewOverlay?
  private let visibility: WidgetVisibility
  private var fade: FrameClockCallback?
  private var frameAlarm: FrameTimer?
  private var indicatorAnimation: IndicatorAnimation?
  private var lastRoom: DrawingSize?

  init(_ widget: UnsafeMutablePointer<GtkWidget>, kind: WidgetKind, overlay: ViewOverlay?) {
    self.widget = widget
    self.kind = kind
    self.overlay = overlay
    visibility = WidgetVisibility(widget)
    (canvas, object) = ImagePaintable.make()
    canvas.onDraw = { [weak self] in self?.noticeRoom() }
    frameAlarm = FrameTimer(widget) { [weak self] now in self?.canvas.layer?.player?.advance(to: now) }
    watch()
  }

  var displaySize: ViewSize {
    let room = kind.room(of: widget)
    return ViewSize(width: room.width, height: room.height)
  }

  var displayScale: Double { Double(gtk_widget_get_scale_factor(widget)) }

  var displayMode: ImageDisplayMode { kind.mode(of: widget) }

  /// Whether somebody can see the widget.
  var isOnScreen: Bool { visibility.isVisible }

  func show(_ content: DisplayContent, transition: ImageTransition) {
    endFade()
    canvas.layer?.player?.leave(self)
    canvas.mode = displayMode
    overlay?.removeContent()
    let layer = layer(for: content)
    switch transition {
    case .crossFade(let duration) where isOnScreen && duration > .zero && animationsAreOn:
      canvas.beginFade(to: layer)
      fade(duration)
    case .custom(let animate):
      canvas.show(layer)
      animate(widget)
    default:
      canvas.show(layer)
    }
    kind.setPaintable(object.pointer, of: widget)
    playIfOnScreen()
  }

  func showIndicator(_ indicator: LoadingIndicator) {
    if case .custom(let make) = indicator {
      overlay?.showIndicator(make())
    } else {
      indicatorAnimation = IndicatorAnimation(indicator, widget: widget, canvas: canvas)
      indicatorAnimation?.run(isOnScreen)
    }
    kind.setPaintable(object.pointer, of: widget)
  }

  func updateIndicator(_ progress: LoadProgress) { indicatorAnimation?.update(progress) }

  func hideIndicator() {
    indicatorAnimation?.stop()
    indicatorAnimation = nil
    overlay?.removeIndicator()
  }

  /// Lets go of everything that needs the widget, which is about to be gone.
  func stop() {
    endFade()
    standStill()
    indicatorAnimation?.stop()
    visibility.stop()
    (onChange, onVisibilityChange, canvas.onDraw) = (nil, nil, nil)
  }

  private func layer(for content: DisplayContent) -> Layer? {
    switch content.picture {
    case .none: nil
    case .image(let image): Layer(image, scale: displayScale)
    case .icon(let name): kind.icon(name, of: widget).map { Layer(icon: $0, color: textColor) }
    case .view(let view): overlay?.showContent(view) == true ? nil : paintable(view).map { Layer(paintable: $0) }
    }
  }

  private var textColor: GdkRGBA {
    var color = GdkRGBA()
    gtk_style_context_get_color(gtk_widget_get_style_context(widget), &color)
    return color
  }

  /// What a caller made to be shown, if GTK can draw it.
  private func paintable(_ view: Any) -> ObjectReference? {
    guard let pointer = view as? OpaquePointer,
      g_type_check_instance_is_a(UnsafeMutablePointer<GTypeInstance>(pointer), gdk_paintable_get_type()) != 0
    else { return nil }
    return ObjectReference(pointer)
  }
}

extension WidgetDisplay: AnimationViewer {
  func animationDidChange() {
    canvas.invalidate()
    waitForNextPicture()
  }

  private func playIfOnScreen() {
    guard isOnScreen, let player = canvas.layer?.player else {
      frameAlarm?.cancel()
      return
    }
    player.join(self)
    waitForNextPicture()
  }

  private func waitForNextPicture() {
    if let time = canvas.layer?.player?.wakeTime { frameAlarm?.set(time) } else { frameAlarm?.cancel() }
  }

  private func standStill() {
    frameAlarm?.cancel()
    canvas.layer?.player?.leave(self)
  }
}

extension WidgetDisplay {
  private var animationsAreOn: Bool {
    guard let settings = gtk_widget_get_settings(widget) else { return true }
    var value = GValue()
    g_value_init(&value, g_type_from_name("gboolean"))
    defer { g_value_unset(&value) }
    g_object_get_property(
      UnsafeMutableRawPointer(settings).assumingMemoryBound(to: GObject.self), "gtk-enable-animations", &value)
    return g_value_get_boolean(&value) != 0
  }

  private func fade(_ duration: Duration) {
    var start: Duration?
    fade = FrameClockCallback(widget) { [weak self] now in
      let begin = start ?? now
      start = begin
      self?.canvas.fade(to: (now - begin) / duration)
      return now - begin < duration
    }
  }

  private func endFade() {
    fade?.cancel()
    fade = nil
    if canvas.fadeProgress < 1 { canvas.fade(to: 1) }
  }

  private func watch() {
    visibility.onChange = { [weak self] in self?.visibilityDidChange($0) }
    for property in ["scale-factor"] + kind.roomProperties {
      Signal.connect(widget, "notify::\(property)", .object) { [weak self] in
        self?.canvas.mode = self?.displayMode ?? .fit
        self?.onChange?()
      }
    }
  }

  private func visibilityDidChange(_ isVisible: Bool) {
    if isVisible {
      playIfOnScreen()
      // The layout follows in this frame; what lies outside of a scrolled area is not drawn, though it has its room.
      Task { [weak self] in self?.onChange?() }
    } else {
      endFade()
      standStill()
    }
    indicatorAnimation?.run(isVisible)
    onVisibilityChange?(isVisible)
  }

  /// GTK has no signal for a new size, but every new size is drawn. It is told of later, outside the drawing.
  private func noticeRoom() {
    let room = kind.room(of: widget)
    guard room != lastRoom else { return }
    lastRoom = room
    Task { [weak self] in self?.onChange?() }
  }
}
#endif
