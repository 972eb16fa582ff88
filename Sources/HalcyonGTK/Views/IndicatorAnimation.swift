#if GTK
import HalcyonPipeline
import HalcyonViews
import CGTK

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
