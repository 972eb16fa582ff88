#if GTK
import CGTK
import Foundation
import HalcyonCore

/// What is drawn over a picture that is being loaded: white on a dark disc, so that it is seen on any picture.
struct Spinner: Hashable {
  enum Kind: Hashable {
    /// A ring of dots, of which the brightest is the one of this number.
    case dots(brightest: Int)
    /// A ring that is filled so far, from 0 to 1.
    case ring(fraction: Double)
  }

  static let dotCount = 8
  /// Points, in rooms that are large enough.
  private static let radius = 18.0

  var kind: Kind

  func draw(_ snapshot: OpaquePointer, _ room: DrawingSize) {
    let radius = min(Self.radius, room.width / 2, room.height / 2)
    let center = (x: room.width / 2, y: room.height / 2)
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

/// Moves the indicator on a canvas.
@MainActor
final class IndicatorAnimation {
  /// How long one dot is the brightest.
  private static let step = Duration.milliseconds(100)

  private let canvas: ImagePaintable
  private var alarm: FrameTimer?
  private var turn = 0
  private var next: Duration?

  /// Something that turns, once it is told to run, or that fills.
  init(_ indicator: LoadingIndicator, widget: UnsafeMutablePointer<GtkWidget>, canvas: ImagePaintable) {
    self.canvas = canvas
    if case .progress = indicator {
      canvas.indicator = Spinner(kind: .ring(fraction: 0))
    } else {
      canvas.indicator = Spinner(kind: .dots(brightest: 0))
      alarm = FrameTimer(widget) { [weak self] now in self?.advance(to: now) }
    }
  }

  func update(_ progress: LoadProgress) {
    if alarm == nil { canvas.indicator = Spinner(kind: .ring(fraction: progress.fraction)) }
  }

  /// Turns, or stands still as long as nobody sees it.
  func run(_ isRunning: Bool) {
    if isRunning { alarm?.set(next ?? .zero) } else { alarm?.cancel() }
  }

  func stop() {
    alarm?.cancel()
    canvas.indicator = nil
  }

  private func advance(to now: Duration) {
    turn = (turn + 1) % Spinner.dotCount
    canvas.indicator = Spinner(kind: .dots(brightest: turn))
    next = now + Self.step
    alarm?.set(now + Self.step)
  }
}
#endif
