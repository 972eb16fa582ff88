#if canImport(CHalcyonGTK)
import HalcyonImaging
import HalcyonPipeline
import HalcyonViews
import CHalcyonGTK

/// The display of one `GtkPicture` or `GtkImage`, which draws by an ``ImagePaintable`` set as the widget's paintable.
///
/// It is owned by the widget: see ``WidgetBinding``.
@MainActor
final class WidgetDisplay: ClockedDisplay {
  let paintable: ImagePaintable
  /// Called when the size, scale factor or display mode may have changed.
  var onChange: (@MainActor () -> Void)?
  /// Called when the widget becomes visible or hidden.
  var onVisibilityChange: (@MainActor (Bool) -> Void)?
  /// Called before an image is set.
  var onPrepare: (@MainActor (ImageViewOptions, ImagePipeline) -> Void)?

  /// Called with each phase.
  var onPhaseChange: (@MainActor (ImagePhase) -> Void)?

  private let kind: WidgetKind
  private let style: WidgetStyle
  private let widget: UnsafeMutablePointer<GtkWidget>
  private let paintableObject: ObjectReference
  private let overlay: ViewOverlay?
  private let visibility: WidgetVisibility
  private var fade: TickCallback?
  private var indicatorAnimation: IndicatorAnimation?
  /// `nil` if the next drawing is to be reported as a change.
  private var lastDrawnSize: DrawingSize?
  /// Called when the transition has ended.
  private var onTransitionEnd: (@MainActor () -> Void)?
  /// Whether the widget has been destroyed. Then nothing touches it any more.
  private var isStopped = false
  /// Whether the widget is being destroyed, and no longer releases objects that it gets. Handlers of the program may
  /// run before ``stop()``.
  private var isEnding: Bool { isStopped || gtk_widget_in_destruction(widget) != 0 }

  init(_ widget: UnsafeMutablePointer<GtkWidget>, kind: WidgetKind, overlay: ViewOverlay?) {
    self.widget = widget
    self.kind = kind
    self.overlay = overlay
    style = WidgetStyle(widget)
    visibility = WidgetVisibility(widget)
    (paintable, paintableObject) = ImagePaintable.make()
    paintable.onDraw = { [weak self] in self?.checkSize() }
    paintable.renderer = Renderer(of: widget)
    paintable.style = style
    observeWidget()
  }

  var displaySize: ViewSize {
    let size = isEnding ? .zero : kind.imageSize(of: widget)
    // A load that waits for a size continues after the next drawing, also at the size of the last one.
    if size.isEmpty { lastDrawnSize = nil }
    guard paintable.intrinsicSize.isEmpty else { return ViewSize(width: size.width, height: size.height) }
    let given = kind.givenSides(of: widget)
    return ViewSize(
      width: given.width || size.width != WidgetKind.emptySide ? size.width : 0,
      height: given.height || size.height != WidgetKind.emptySide ? size.height : 0)
  }

  /// The size of the window.
  var screenSize: ViewSize {
    guard !isEnding, gtk_widget_get_width(widget) > 0 || gtk_widget_get_height(widget) > 0,
      let window = gtk_widget_get_root(widget)
    else { return .zero }
    let root = UnsafeMutablePointer<GtkWidget>(window)
    return ViewSize(width: Double(gtk_widget_get_width(root)), height: Double(gtk_widget_get_height(root)))
  }

  var transitionView: Any? { isEnding ? nil : widget }

  var displayScale: Double { isEnding ? 1 : Double(gtk_widget_get_scale_factor(widget)) }

  var displayMode: ImageDisplayMode { isEnding ? .fit : kind.mode(of: widget) }

  /// Whether the widget is mapped and in or near the viewport of its scrolled window.
  var isVisible: Bool { visibility.isVisible }

  func prepare(for options: ImageViewOptions, pipeline: ImagePipeline) { onPrepare?(options, pipeline) }

  /// Gives the widget the paintable, since a widget without one is not drawn, and does not report its size.
  func adoptProgramContent() -> DisplayContent? {
    guard !isEnding else { return nil }
    let picture = kind.programContent(of: widget, except: paintableObject.pointer)
    let content = picture.map { DisplayContent($0, role: .image) }
    if let content { show(content, transition: .immediate) }
    kind.setPaintable(paintableObject.pointer, of: widget)
    return content
  }

  func show(_ content: DisplayContent, transition: ImageTransition, onEnd: @escaping @MainActor () -> Void) {
    show(content, transition: transition)
    if fade == nil { onEnd() } else { onTransitionEnd = onEnd }
  }

  func show(_ content: DisplayContent, transition: ImageTransition) {
    guard !isEnding else { return }
    // Taken before an interrupted fade is ended.
    let outgoing = paintable.frozenLayer()
    endFade()
    paintable.mode = displayMode
    overlay?.removeContent()
    let layer = layer(for: content)
    if case .crossFade(let duration) = transition, isVisible, duration > .zero, style.animates {
      paintable.beginFade(to: layer, from: outgoing)
      fade(duration)
    } else {
      paintable.show(layer)
    }
    kind.setPaintable(paintableObject.pointer, of: widget)
  }

  func phaseDidChange(_ phase: ImagePhase) { onPhaseChange?(phase) }

  var reducesMotion: Bool { !style.animates }

  func makeFrameClock() -> any FrameClock { FrameTimer(widget) }

  func showFrame(_ frame: Bitmap) { paintable.showFrame(frame) }

  func showIndicator(_ indicator: LoadingIndicator) {
    guard !isEnding else { return }
    if case .custom(let make) = indicator {
      overlay?.showIndicator(make())
    } else {
      indicatorAnimation = IndicatorAnimation(indicator, widget: widget, paintable: paintable)
      indicatorAnimation?.setRunning(isVisible && style.animates)
    }
    kind.setPaintable(paintableObject.pointer, of: widget)
  }

  func updateIndicator(_ progress: LoadProgress) { indicatorAnimation?.update(progress) }

  func hideIndicator() {
    guard !isEnding else { return }
    indicatorAnimation?.stop()
    indicatorAnimation = nil
    overlay?.removeIndicator()
  }

  /// Stops everything that uses the widget, which is about to be destroyed.
  func stop() {
    endFade()
    indicatorAnimation?.stop()
    visibility.stop()
    isStopped = true
    (onChange, onVisibilityChange, onPrepare, onPhaseChange, paintable.onDraw) = (nil, nil, nil, nil, nil)
  }

  private func layer(for content: DisplayContent) -> Layer? {
    switch content.picture {
    case .none: nil
    case .image(let image): Layer(image, naturalSize: content.naturalSize, scale: pixelsPerPoint(of: image))
    case .icon(let name): Layer(icon: icon(name))
    case .view(let view): overlay?.showContent(view) == true ? nil : Layer(custom: view)
    }
  }

  private func icon(_ name: String) -> ThemedIcon {
    let icon = ThemedIcon(name, side: kind.iconSide(of: widget), style: style)
    icon.onChange = { [weak paintable] in paintable?.invalidate() }
    return icon
  }
}

extension WidgetDisplay {
  private func fade(_ duration: Duration) {
    var start: Duration?
    fade = TickCallback(widget) { [weak self] now in
      let begin = start ?? now
      start = begin
      self?.paintable.fade(to: (now - begin) / duration)
      guard now - begin < duration else {
        self?.endFade()
        return false
      }
      return true
    }
  }

  private func endFade() {
    fade?.cancel()
    fade = nil
    if paintable.fadeProgress < 1 { paintable.fade(to: 1) }
    let onEnd = onTransitionEnd
    onTransitionEnd = nil
    onEnd?()
  }

  private func observeWidget() {
    visibility.onChange = { [weak self] in self?.visibilityDidChange($0) }
    widget.connect("direction-changed") { [weak self] in self?.paintable.invalidate() }
    for property in ["scale-factor"] + kind.layoutProperties {
      widget.connect("notify::\(property)") { [weak self] in
        self?.paintable.mode = self?.displayMode ?? .fit
        self?.onChange?()
      }
    }
  }

  private func visibilityDidChange(_ isVisible: Bool) {
    if isVisible {
      paintable.renderer = Renderer(of: widget)
      // After the layout of this frame. Widgets outside the viewport have an allocation but are not drawn, so
      // `checkSize` is not called.
      Task { [weak self] in self?.onChange?() }
    } else {
      endFade()
    }
    indicatorAnimation?.setRunning(isVisible && style.animates)
    onVisibilityChange?(isVisible)
  }

  /// GTK has no signal for size changes, but each is followed by a snapshot. ``onChange`` is called later, since
  /// nothing may be changed during a snapshot.
  private func checkSize() {
    let size = kind.imageSize(of: widget)
    guard size != lastDrawnSize else { return }
    lastDrawnSize = size
    Task { [weak self] in self?.onChange?() }
  }
}
#endif
