#if canImport(CHalcyonGTK)
public import CHalcyonGTK
public import Halcyon
public import HalcyonViews
import Foundation
@_spi(Programs) import HalcyonImaging

/// A view that zooms into an image of any size.
///
/// ```swift
/// let view = ZoomableView()
/// view.hc.setImage(with: url)
/// gtk_window_set_child(window.cast(), view.widget)
/// ```
///
/// It shows the whole image first, as any view does. Zoomed in, it decodes tiles of what is seen at the level that is needed, once the
/// image has stood still, and holds three times the pixels of the view at most, or four megabytes (``TiledImage``). An image that is
/// animated, a drawing, or of a request with processors, a region or a size of its own is only enlarged.
///
/// Users zoom by pinching, the wheel with Ctrl, a double click, and the keys `+`, `-` and `0`, and move the image by dragging, scrolling,
/// and the arrow keys. While the whole image is shown, scrolling and arrow keys are left to the widgets around the view.
///
/// The widget keeps the view alive.
@MainActor
public final class ZoomableView {
  /// The widget to add to a window; `nil` once it has been destroyed.
  @WeakReference public private(set) var widget: UnsafeMutablePointer<GtkWidget>?
  /// Loads images into the view.
  public let hc: ImageViewProxy

  /// Device pixels for each pixel of the upright image: 1 shows it in its own size. 1 without an image.
  ///
  /// Setting it keeps the ``centre``, and has no effect without an image. It is clamped to ``zoomRange``.
  public var zoom: Double {
    get { geometry?.zoom ?? 1 }
    set { change { $0.zoom(to: newValue, around: $0.middle) } }
  }

  /// The least and the largest ``zoom``, from 0.0001 to 10,000. Default: `nil`, from the whole image to 8, or to twice the zoom of the whole
  /// image.
  public var zoomRange: ClosedRange<Double>? {
    didSet { change { $0.allowedRange = zoomRange } }
  }

  /// The pixel of the upright image in the middle of the view; 0, 0 without an image.
  ///
  /// It is clamped, so that no edge of a larger image is inside the view. Setting it has no effect without an image.
  public var centre: (x: Double, y: Double) {
    get { geometry.map { ($0.centre.x, $0.centre.y) } ?? (0, 0) }
    set { change { $0.centre = ZoomGeometry.Point(x: newValue.x, y: newValue.y) } }
  }

  /// Called when ``zoom`` or ``centre`` has changed. Default: `nil`.
  public var onChange: (@MainActor () -> Void)?

  /// How long the image stands still, and how long it takes to zoom in steps.
  private static let (pause, zoomDuration) = (Duration.milliseconds(80), 0.2)

  private let base: PictureView
  private let binding: WidgetBinding
  private let style: WidgetStyle
  private let visibility: WidgetVisibility
  private var gestures: ZoomGestures?
  private var timer: FrameTimer?
  private var motion: TickCallback?
  /// `nil` until there is an image.
  private(set) var geometry: ZoomGeometry?
  private var request: ImageRequest?
  /// The width of the image that shows the whole picture; more than any width if there are no tiles.
  private var baseWidth = 0
  private var isOpaque = true
  /// What assistive technologies know.
  private var toldPercent: Int?
  private var opening: Task<Void, Never>?
  private var tiles: TileLoader<ObjectReference>?

  /// Creates an empty view.
  ///
  /// - Parameter pipeline: The pipeline that loads the view's images, unless a call of `hc.setImage` names another one.
  ///   Default: ``ImagePipeline/shared``.
  /// - Precondition: GTK is initialised.
  public init(pipeline: ImagePipeline = .shared) {
    base = PictureView(pipeline: pipeline)
    hc = base.hc
    binding = WidgetBinding.of(base.picture)
    let widget = ZoomWidget.make(around: base.widget)
    (style, visibility) = (WidgetStyle(widget), WidgetVisibility(widget))
    self.widget = widget
    timer = FrameTimer(widget) { [weak self] _ in self?.loadTiles() }
    gestures = ZoomGestures(self, widget)
    visibility.onChange = { [weak self] in if $0 { self?.loadTilesLater() } else { self?.stopMoving() } }
    binding.onPhaseChange = { [weak self] in self?.phaseDidChange($0) }
    ZoomWidget.setDrawing(of: widget) { [weak self] in self?.draw($0) ?? false }
    // The handler, and with it the view, lives until the widget is destroyed.
    widget.connect("destroy") { self.end() }
  }

  private func end() {
    visibility.stop()
    stopMoving()
    (binding.onPhaseChange, gestures, timer, tiles) = (nil, nil, nil, nil)
    opening?.cancel()
  }

  private func phaseDidChange(_ phase: ImagePhase) {
    switch phase {
    case .success(let image): adopt(image)
    // The image before stays.
    case .preview: return
    default: reset(nil)
    }
    if let widget {
      let text = gtk_picture_get_alternative_text(base.picture.opaque).map { String(cString: $0) }
      widget.setAccessibleText(GTK_ACCESSIBLE_PROPERTY_LABEL, text)
    }
  }

  private func adopt(_ image: DecodedImage) {
    let isWhole = hc.request?.size == nil && hc.request?.region == nil && hc.request?.processors.isEmpty != false
    let size = isWhole ? image.info.pixelSize : image.size
    let isSame = request.map(ImagePipeline.cacheKey) == hc.request.map(ImagePipeline.cacheKey)
    // A drawing and an animation have no tiles.
    let hasTiles = isWhole && image.info.frameCount == 1 && !image.info.format.abilities.isVector
    (baseWidth, isOpaque) = (hasTiles ? image.size.width : .max, image.bitmap.isOpaque)
    // The same image may be a larger one for a larger view, or a new version.
    let last = isSame ? geometry?.scaled(to: size) : nil
    reset(last ?? ZoomGeometry(imageSize: size, viewSize: viewSize, allowedRange: zoomRange))
    request = hc.request
    didChange()
  }

  private func reset(_ geometry: ZoomGeometry?) {
    stopMoving()
    opening?.cancel()
    (self.geometry, request, opening, tiles) = (geometry, nil, nil, nil)
    if let widget { gtk_widget_queue_draw(widget) }
  }

  private var scale: Double { widget.map { Double(gtk_widget_get_scale_factor($0)) } ?? 1 }

  private var viewSize: PixelSize {
    guard let widget else { return PixelSize(width: 1, height: 1) }
    let scale = Int(scale)
    return PixelSize(
      width: Int(gtk_widget_get_width(widget)) * scale, height: Int(gtk_widget_get_height(widget)) * scale)
  }
}

/// Movements, in device pixels.
extension ZoomableView {
  var animates: Bool { style.animates }

  /// A place of the view in device pixels.
  func point(_ x: Double, _ y: Double) -> ZoomGeometry.Point { ZoomGeometry.Point(x: x * scale, y: y * scale) }

  func change(_ change: (inout ZoomGeometry) -> Void) {
    guard var next = geometry else { return }
    change(&next)
    guard next != geometry else { return }
    geometry = next
    didChange()
  }

  /// Changes the zoom in a short time, or at once if the user has turned animations off.
  func zoomSmoothly(to zoom: Double, around point: ZoomGeometry.Point) {
    guard let geometry, animates else { return change { $0.zoom(to: zoom, around: point) } }
    let ratio = zoom.clamped(to: geometry.range, nan: geometry.zoom) / geometry.zoom
    animate(for: Self.zoomDuration) { next, time in
      let rest = 1 - time / Self.zoomDuration
      next.zoom(to: rest == 0 ? zoom : geometry.zoom * pow(ratio, 1 - rest * rest * rest), around: point)
    }
  }

  /// Goes on with a pan that a gesture has begun.
  func fling(_ velocity: ZoomGeometry.Point) {
    let pan = KineticPan(velocity: velocity)
    guard animates, pan.duration > 0, geometry?.canPan == true else { return }
    animate(for: pan.duration) { next, time in
      let way = pan.way(after: time)
      next.pan(x: way.x, y: way.y)
    }
  }

  func stopMotion() {
    motion?.cancel()
    motion = nil
  }

  /// - Parameter change: Changes the present geometry into that after some seconds.
  private func animate(
    for duration: Double, _ change: @escaping @MainActor (inout ZoomGeometry, _ time: Double) -> Void
  ) {
    stopMotion()
    guard let widget, let first = geometry else { return }
    var start: Duration?
    motion = TickCallback(widget) { [weak self] now in
      let begin = start ?? now
      start = begin
      let time = min(duration, (now - begin) / .seconds(1))
      self?.change {
        $0 = first
        change(&$0, time)
      }
      return time < duration
    }
  }

  private func stopMoving() {
    stopMotion()
    timer?.cancel()
    tiles?.stop()
  }

  private func didChange() {
    guard let widget, let geometry else { return }
    gtk_widget_queue_draw(widget)
    let percent = Int((geometry.zoom * 100).rounded())
    if percent != toldPercent {
      widget.setAccessibleText(GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "Zoom \(percent) %")
      toldPercent = percent
    }
    loadTilesLater()
    onChange?()
  }
}

/// Tiles and drawing.
extension ZoomableView {
  /// Whether all tiles of what is seen are in memory.
  package var isSharp: Bool { wantedTiles.allSatisfy { tiles?.tiles[$0] != nil } }

  private var wantedTiles: [Tile] {
    guard let geometry else { return [] }
    return (tiles?.grid ?? TileGrid(imageSize: geometry.imageSize)).tiles(for: geometry, baseWidth: baseWidth)
  }

  private func loadTilesLater() {
    tiles?.stop()
    if let timer { timer.set(timer.now() + Self.pause) }
  }

  private func loadTiles() {
    guard visibility.isVisible, let geometry else { return }
    let wanted = wantedTiles
    if let tiles { return tiles.load(wanted, for: geometry) }
    guard !wanted.isEmpty, opening == nil, let request, let pipeline = hc.binder.currentPipeline else { return }
    var stored = request
    // The bytes of the image that is shown.
    if stored.cachePolicy != .cacheOnly { stored.cachePolicy = .cacheFirst }
    opening = Task { [weak self, stored] in
      let image = try? await pipeline.tiledImage(for: stored)
      if let self, !Task.isCancelled { open(image) }
    }
  }

  /// - Parameter image: `nil` if it cannot be opened; then the whole picture is only enlarged.
  private func open(_ image: TiledImage?) {
    guard let widget, let image else { return baseWidth = .max }
    let renderer = Renderer(of: widget)
    let loader = TileLoader(image) {
      ObjectReference(adopting: SharedTextures.all.texture(for: $0, drawnBy: renderer))
    }
    loader.onLoad = { [weak self] in if let widget = self?.widget { gtk_widget_queue_draw(widget) } }
    tiles = loader
    change { $0 = $0.scaled(to: image.size) }
    loadTiles()
  }

  /// Draws the zoomed image.
  ///
  /// - Returns: Whether it has; otherwise the picture draws the whole image, a placeholder or nothing.
  private func draw(_ snapshot: OpaquePointer) -> Bool {
    if let size = geometry?.viewSize, size != viewSize {
      geometry?.resize(to: viewSize)
      // Nothing else may be changed during a snapshot.
      Task { [weak self] in self?.didChange() }
    }
    guard let geometry, !geometry.isFitting, let image = gtk_picture_get_paintable(base.picture.opaque) else {
      return false
    }
    gtk_snapshot_save(snapshot)
    defer { gtk_snapshot_restore(snapshot) }
    gtk_snapshot_scale(snapshot, Float(1 / scale), Float(1 / scale))
    let wanted = wantedTiles
    let isCovered = !wanted.isEmpty && wanted.allSatisfy { tiles?.tiles[$0] != nil }
    if !isCovered { draw(image, geometry.rectangle, snapshot) }
    // Over each other, translucent pixels would be darker.
    let shown = isCovered ? wanted : isOpaque ? tiles.map { Array($0.tiles.keys) } ?? [] : []
    for tile in shown.sorted(by: { $0.reduction > $1.reduction }) { draw(tile, geometry, snapshot) }
    return true
  }

  private func draw(_ image: OpaquePointer, _ rectangle: PixelRectangle, _ snapshot: OpaquePointer) {
    var origin = graphene_point_t(x: Float(rectangle.x), y: Float(rectangle.y))
    gtk_snapshot_save(snapshot)
    gtk_snapshot_translate(snapshot, &origin)
    gdk_paintable_snapshot(image, snapshot, rectangle.width, rectangle.height)
    gtk_snapshot_restore(snapshot)
  }

  /// Draws a tile with its bleed, clipped to whole device pixels, so that no background shows between tiles; with one more
  /// for screens whose pixels are others than those of the widget.
  private func draw(_ tile: Tile, _ geometry: ZoomGeometry, _ snapshot: OpaquePointer) {
    guard let tiles, let texture = tiles.tiles[tile] else { return }
    let cell = geometry.rectangle(of: tiles.grid.cell(of: tile))
    let overlap = isOpaque ? 1.0 : 0
    var clip = graphene_rect_t(
      left: cell.x.rounded(), top: cell.y.rounded(), right: (cell.x + cell.width).rounded() + overlap,
      bottom: (cell.y + cell.height).rounded() + overlap)
    let area = geometry.rectangle(of: tiles.grid.area(of: tile))
    var bounds = graphene_rect_t(
      left: area.x, top: area.y, right: area.x + area.width, bottom: area.y + area.height)
    gtk_snapshot_push_clip(snapshot, &clip)
    gtk_snapshot_append_texture(snapshot, texture.pointer, &bounds)
    gtk_snapshot_pop(snapshot)
  }
}

extension graphene_rect_t {
  fileprivate init(left: Double, top: Double, right: Double, bottom: Double) {
    self.init(
      origin: graphene_point_t(x: Float(left), y: Float(top)),
      size: graphene_size_t(width: Float(right - left), height: Float(bottom - top)))
  }
}
#endif
