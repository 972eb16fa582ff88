#if canImport(CGTK)
import CGTK
import Foundation
import HalcyonSupport

/// A loading indicator, drawn white on a dark disc to be visible over any image.
struct Spinner: Hashable {
  enum Kind: Hashable {
    /// A ring of dots; `brightest` is the index of the brightest one.
    case dots(brightest: Int)
    /// A progress ring, filled from 0 to 1.
    case ring(fraction: Double)
  }

  static let dotCount = 8
  /// In points; smaller if the bounds are.
  private static let longestRadius = 18.0

  var kind: Kind

  func draw(_ snapshot: OpaquePointer, _ bounds: DrawingSize) {
    let radius = min(Self.longestRadius, bounds.width / 2, bounds.height / 2)
    let center = (x: bounds.width / 2, y: bounds.height / 2)
    fillCircle(snapshot, x: center.x, y: center.y, radius: radius, gray: 0, alpha: 0.45)
    switch kind {
    case .dots(let brightest): drawDots(snapshot, center, radius, brightest)
    case .ring(let fraction): drawRing(snapshot, center, radius, fraction)
    }
  }

  private func drawDots(_ snapshot: OpaquePointer, _ center: (x: Double, y: Double), _ radius: Double, _ brightest: Int)
  {
    for dot in 0..<Self.dotCount {
      let angle = 2 * Double.pi * Double(dot) / Double(Self.dotCount)
      let age = (brightest - dot + Self.dotCount) % Self.dotCount
      fillCircle(
        snapshot, x: center.x + sin(angle) * radius * 0.6, y: center.y - cos(angle) * radius * 0.6,
        radius: radius * 0.12, gray: 1, alpha: 1 - 0.85 * Double(age) / Double(Self.dotCount))
    }
  }

  private func drawRing(
    _ snapshot: OpaquePointer, _ center: (x: Double, y: Double), _ radius: Double, _ fraction: Double
  ) {
    var bounds = DrawingSize(width: center.x * 2, height: center.y * 2).rectangle
    guard let cairo = gtk_snapshot_append_cairo(snapshot, &bounds) else { return }
    defer { cairo_destroy(cairo) }
    let top = -Double.pi / 2
    cairo_set_line_width(cairo, radius * 0.2)
    cairo_set_source_rgba(cairo, 1, 1, 1, 0.25)
    cairo_arc(cairo, center.x, center.y, radius * 0.6, 0, 2 * .pi)
    cairo_stroke(cairo)
    cairo_set_source_rgba(cairo, 1, 1, 1, 1)
    cairo_arc(cairo, center.x, center.y, radius * 0.6, top, top + 2 * .pi * fraction)
    cairo_stroke(cairo)
  }

  private func fillCircle(
    _ snapshot: OpaquePointer, x: Double, y: Double, radius: Double, gray: Float, alpha: Double
  ) {
    var square = graphene_rect_t(
      origin: graphene_point_t(x: Float(x - radius), y: Float(y - radius)),
      size: graphene_size_t(width: Float(2 * radius), height: Float(2 * radius)))
    var circle = GskRoundedRect()
    gsk_rounded_rect_init_from_rect(&circle, &square, Float(radius))
    var color = GdkRGBA(red: gray, green: gray, blue: gray, alpha: Float(alpha))
    gtk_snapshot_push_rounded_clip(snapshot, &circle)
    gtk_snapshot_append_color(snapshot, &color, &square)
    gtk_snapshot_pop(snapshot)
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
    if timer == nil { paintable.indicator = Spinner(kind: .ring(fraction: progress.fraction)) }
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
