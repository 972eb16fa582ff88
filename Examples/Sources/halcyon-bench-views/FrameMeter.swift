import HalcyonGTK

/// The main thread's processor time in each frame of a window, excluding GTK's drawing.
@MainActor
final class FrameMeter {
  private(set) var frames: [Duration] = []
  private var frameStart = Metrics.threadTime
  private var drawStart: Duration?

  /// Starts measuring, until the window is destroyed.
  init(_ window: UnsafeMutablePointer<GtkWidget>) {
    guard let clock = gtk_widget_get_frame_clock(window) else { return }
    // Called after GTK's own handlers of each phase; the drawing follows the last one. A frame has the phases `update` and
    // `layout` only if something requested them: one that only animates has no layout.
    for phase in ["before-paint", "update", "layout"] {
      connect(clock, phase) { meter in meter.drawStart = Metrics.threadTime }
    }
    connect(clock, "after-paint") { meter in meter.endFrame() }
  }

  /// The main thread's processor time since the last frame.
  var timeSinceLastFrame: Duration { Metrics.threadTime - frameStart }

  /// Discards the frames measured so far.
  func reset() {
    frames = []
    frameStart = Metrics.threadTime
  }

  private func endFrame() {
    let now = Metrics.threadTime
    frames.append((drawStart ?? now) - frameStart)
    (frameStart, drawStart) = (now, nil)
  }

  private func connect(_ clock: OpaquePointer, _ signal: String, _ body: @escaping @MainActor (FrameMeter) -> Void) {
    typealias Handler = @convention(c) (gpointer?, gpointer?) -> Void
    let handler: Handler = { _, data in
      nonisolated(unsafe) let data = data
      MainActor.assumeIsolated { data.map { Unmanaged<Call>.fromOpaque($0).takeUnretainedValue().run() } }
    }
    let call = Unmanaged.passRetained(Call(self, body)).toOpaque()
    g_signal_connect_data(
      gpointer(clock), signal, unsafeBitCast(handler, to: GCallback.self), call,
      { data, _ in data.map { Unmanaged<Call>.fromOpaque($0).release() } }, GConnectFlags(0))
  }

  @MainActor
  private final class Call {
    private weak var meter: FrameMeter?
    private let body: @MainActor (FrameMeter) -> Void

    init(_ meter: FrameMeter, _ body: @escaping @MainActor (FrameMeter) -> Void) {
      (self.meter, self.body) = (meter, body)
    }

    func run() { meter.map(body) }
  }
}
