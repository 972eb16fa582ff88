import HalcyonGTK

/// The main thread's processor time in each frame of a window, GTK's drawing left out.
@MainActor
final class FrameMeter {
  private(set) var frames: [Duration] = []
  private var frameStart = Figures.threadTime
  private var drawStart: Duration?

  /// Measures from now on, as long as the window lives.
  init(_ window: UnsafeMutablePointer<GtkWidget>) {
    guard let clock = gtk_widget_get_frame_clock(window) else { return }
    // GTK's own handlers of the layout have run when this is called: what follows is drawing.
    connect(clock, "layout") { meter in meter.drawStart = Figures.threadTime }
    connect(clock, "after-paint") { meter in meter.endFrame() }
  }

  /// The main thread's time since the last frame.
  var unfinished: Duration { Figures.threadTime - frameStart }

  /// Forgets what was measured so far.
  func reset() {
    frames = []
    frameStart = Figures.threadTime
  }

  private func endFrame() {
    let now = Figures.threadTime
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
