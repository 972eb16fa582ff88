#if canImport(CHalcyonGTK)
import CHalcyonGTK
import Halcyon
public import HalcyonPipeline
import HalcyonSupport
public import HalcyonViews

/// A `GdkPaintable` that loads its image: for avatars, buttons, list headers and whatever else takes a paintable.
///
/// ```swift
/// let avatar = LoadingPaintable(width: 48, height: 48)
/// avatar.hc.setImage(with: url, placeholder: .icon("avatar-default-symbolic"))
/// let image = gtk_image_new_from_paintable(avatar.pointer)
/// ```
///
/// It has a fixed size, so that a widget that shows it keeps its size. It shows the first frame of an animation;
/// indicators do not turn, and there are no transitions but custom ones. The load lives as long as anything references
/// ``pointer``.
@MainActor
public final class LoadingPaintable {
  /// The `GdkPaintable`, which the instance references.
  public var pointer: OpaquePointer { object.pointer }
  /// Loads images into the paintable.
  public var hc: ImageViewProxy { display.binder.hc }

  private let object: ObjectReference
  private let display: PaintableDisplay

  /// Creates an empty paintable.
  ///
  /// - Parameters:
  ///   - width: The width in points, from 1 to 32,767; other numbers are clamped, and NaN counts as 1.
  ///   - height: The height in points, clamped likewise.
  ///   - scale: Device pixels per point, from 0.01 to 100, clamped likewise. Default: 1; `gtk_widget_get_scale_factor`
  ///     returns the scale of a window.
  ///   - mode: How an image is scaled. Default: `.fill`.
  ///   - pipeline: The pipeline that loads the images, unless a call names another one. Default:
  ///     ``ImagePipeline/shared``.
  public init(
    width: Double, height: Double, scale: Double = 1, mode: ImageDisplayMode = .fill,
    pipeline: @autoclosure @escaping () -> ImagePipeline = .shared
  ) {
    let size = DrawingSize(width: Self.clamped(width), height: Self.clamped(height))
    let scale = scale.clamped(to: 0.01...100, nan: 1)
    MainLoop.runMainActor()
    let paintable: ImagePaintable
    (paintable, object) = ImagePaintable.make()
    paintable.fixedSize = size
    paintable.mode = mode
    paintable.style = WidgetStyle(scale: gint(scale.rounded(.up)))
    display = PaintableDisplay(paintable, scale: scale, pipeline)
    object.pointer.own(display, under: PaintableDisplay.key)
  }

  private static func clamped(_ side: Double) -> Double { side.clamped(to: 1...Double(Int16.max), nan: 1) }
}

/// The display of a ``LoadingPaintable``, owned by its GObject.
@MainActor
private final class PaintableDisplay: ImageDisplay {
  static let key = g_quark_from_string("halcyon-display")

  private(set) lazy var binder = ImageViewBinder(display: self, makePipeline: makePipeline)
  let displayScale: Double

  /// Retained by the GObject, which owns this display.
  private let paintable: ImagePaintable
  private let makePipeline: () -> ImagePipeline

  init(_ paintable: ImagePaintable, scale: Double, _ pipeline: @escaping () -> ImagePipeline) {
    (self.paintable, displayScale, makePipeline) = (paintable, scale, pipeline)
  }

  var displaySize: ViewSize { ViewSize(width: paintable.intrinsicSize.width, height: paintable.intrinsicSize.height) }

  var displayMode: ImageDisplayMode { paintable.mode }

  func prepare(for options: ImageViewOptions, pipeline: ImagePipeline) {
    if let application = g_application_get_default() { pipeline.cache.followLifeCycle(of: application) }
  }

  func show(_ content: DisplayContent, transition: ImageTransition) {
    paintable.show(layer(for: content))
  }

  private func layer(for content: DisplayContent) -> Layer? {
    switch content.picture {
    case .none: nil
    case .image(let image): Layer(image, scale: pixelsPerPoint(of: image))
    case .icon(let name): paintable.style.map { Layer(icon: icon(name, $0)) }
    case .view(let view): Layer(custom: view)
    }
  }

  private func icon(_ name: String, _ style: WidgetStyle) -> ThemedIcon {
    let side = min(paintable.intrinsicSize.width, paintable.intrinsicSize.height)
    let icon = ThemedIcon(name, side: gint(max(8, min(512, side))), style: style)
    icon.onChange = { [weak paintable] in paintable?.invalidate() }
    return icon
  }

  func showIndicator(_ indicator: LoadingIndicator) {
    switch indicator {
    case .progress: paintable.indicator = Spinner(kind: .ring(fraction: 0))
    case .activity: paintable.indicator = Spinner(kind: .dots(brightest: 0))
    default: break
    }
  }

  func updateIndicator(_ progress: LoadProgress) {
    guard case .ring = paintable.indicator?.kind else { return }
    paintable.indicator = Spinner(kind: .ring(fraction: progress.fraction ?? 0))
  }

  func hideIndicator() { paintable.indicator = nil }
}
#endif
