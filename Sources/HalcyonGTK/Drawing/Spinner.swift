#if canImport(CHalcyonGTK)
import CHalcyonGTK
import Foundation
import HalcyonSupport

/// A loading indicator, drawn in the colours of the theme on a disc, to be visible over any image.
struct Spinner: Hashable {
  enum Kind: Hashable {
    /// A ring of dots; `brightest` is the index of the brightest one.
    case dots(brightest: Int)
    /// A progress ring, filled from 0 to 1.
    case ring(fraction: Double)
  }

  /// Without a theme, white on a dark disc.
  struct Colors {
    var disc = GdkRGBA(red: 0, green: 0, blue: 0, alpha: 0.45)
    var dots = GdkRGBA(red: 1, green: 1, blue: 1, alpha: 1)
    var progress = GdkRGBA(red: 1, green: 1, blue: 1, alpha: 1)
  }

  static let dotCount = 8
  /// In points; smaller if the bounds are.
  private static let longestRadius = 18.0

  var kind: Kind

  func draw(_ snapshot: OpaquePointer, _ bounds: DrawingSize, _ colors: Colors) {
    let radius = min(Self.longestRadius, bounds.width / 2, bounds.height / 2)
    let center = (x: bounds.width / 2, y: bounds.height / 2)
    fillCircle(snapshot, x: center.x, y: center.y, radius: radius, colors.disc)
    switch kind {
    case .dots(let brightest): drawDots(snapshot, center, radius, brightest, colors.dots)
    case .ring(let fraction): drawRing(snapshot, center, radius, fraction, colors)
    }
  }

  private func drawDots(
    _ snapshot: OpaquePointer, _ center: (x: Double, y: Double), _ radius: Double, _ brightest: Int, _ color: GdkRGBA
  ) {
    for dot in 0..<Self.dotCount {
      let angle = 2 * Double.pi * Double(dot) / Double(Self.dotCount)
      let age = (brightest - dot + Self.dotCount) % Self.dotCount
      fillCircle(
        snapshot, x: center.x + sin(angle) * radius * 0.6, y: center.y - cos(angle) * radius * 0.6,
        radius: radius * 0.12, color.faded(to: 1 - 0.85 * Double(age) / Double(Self.dotCount)))
    }
  }

  private func drawRing(
    _ snapshot: OpaquePointer, _ center: (x: Double, y: Double), _ radius: Double, _ fraction: Double,
    _ colors: Colors
  ) {
    var bounds = DrawingSize(width: center.x * 2, height: center.y * 2).rectangle
    guard let cairo = gtk_snapshot_append_cairo(snapshot, &bounds) else { return }
    defer { cairo_destroy(cairo) }
    let top = -Double.pi / 2
    cairo_set_line_width(cairo, radius * 0.2)
    var (track, progress) = (colors.dots.faded(to: 0.25), colors.progress)
    gdk_cairo_set_source_rgba(cairo, &track)
    cairo_arc(cairo, center.x, center.y, radius * 0.6, 0, 2 * .pi)
    cairo_stroke(cairo)
    gdk_cairo_set_source_rgba(cairo, &progress)
    cairo_arc(cairo, center.x, center.y, radius * 0.6, top, top + 2 * .pi * fraction)
    cairo_stroke(cairo)
  }

  private func fillCircle(_ snapshot: OpaquePointer, x: Double, y: Double, radius: Double, _ color: GdkRGBA) {
    var square = graphene_rect_t(
      origin: graphene_point_t(x: Float(x - radius), y: Float(y - radius)),
      size: graphene_size_t(width: Float(2 * radius), height: Float(2 * radius)))
    var circle = GskRoundedRect()
    gsk_rounded_rect_init_from_rect(&circle, &square, Float(radius))
    var color = color
    gtk_snapshot_push_rounded_clip(snapshot, &circle)
    gtk_snapshot_append_color(snapshot, &color, &square)
    gtk_snapshot_pop(snapshot)
  }
}

extension Spinner.Colors {
  /// The colours of a theme: text, an accent and a background that is almost opaque.
  @MainActor init(_ style: WidgetStyle) {
    self.init()
    guard let background = style.color(named: "theme_bg_color") else { return }
    (disc, dots) = (background.faded(to: 0.8), style.textColor)
    let accents = ["accent_color", "theme_selected_bg_color"].compactMap { style.color(named: $0) }
    // The contrast that WCAG asks for graphics; the accents of dark themes are meant for backgrounds, and have less.
    progress = accents.first { $0.contrast(with: background) >= 3 } ?? dots
  }
}

extension GdkRGBA {
  /// The ratio of the luminances of two opaque colours, from 1 to 21, as WCAG defines it.
  fileprivate func contrast(with other: GdkRGBA) -> Double {
    let luminances = [luminance, other.luminance].sorted()
    return (luminances[1] + 0.05) / (luminances[0] + 0.05)
  }

  private var luminance: Double {
    func linear(_ value: Float) -> Double {
      value <= 0.04045 ? Double(value) / 12.92 : pow((Double(value) + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }

  fileprivate func faded(to opacity: Double) -> GdkRGBA {
    var faded = self
    faded.alpha *= Float(opacity)
    return faded
  }
}

/// Updates the indicator of a paintable: turns the dots by the frame clock, or fills the ring.
@MainActor
final class IndicatorAnimation {
  /// How long one dot is the brightest.
  private static let step = Duration.milliseconds(100)

  private let paintable: ImagePaintable
  /// `nil` for a progress ring.
  private var timer: FrameTimer?
  private var brightest = 0
  private var nextStepTime: Duration?

  /// Shows a progress ring for `.progress`, else dots, which turn after ``setRunning(_:)``.
  init(_ indicator: LoadingIndicator, widget: UnsafeMutablePointer<GtkWidget>, paintable: ImagePaintable) {
    self.paintable = paintable
    if case .progress = indicator {
      paintable.indicator = Spinner(kind: .ring(fraction: 0))
    } else {
      paintable.indicator = Spinner(kind: .dots(brightest: 0))
      timer = FrameTimer(widget) { [weak self] now in self?.advance(to: now) }
    }
  }

  func update(_ progress: LoadProgress) {
    if timer == nil { paintable.indicator = Spinner(kind: .ring(fraction: progress.fraction ?? 0)) }
  }

  /// Starts the animation, or pauses it while the widget is hidden.
  func setRunning(_ isRunning: Bool) {
    if isRunning { timer?.set(nextStepTime ?? .zero) } else { timer?.cancel() }
  }

  func stop() {
    timer?.cancel()
    paintable.indicator = nil
  }

  private func advance(to now: Duration) {
    brightest = (brightest + 1) % Spinner.dotCount
    paintable.indicator = Spinner(kind: .dots(brightest: brightest))
    nextStepTime = now + Self.step
    timer?.set(now + Self.step)
  }
}
#endif
