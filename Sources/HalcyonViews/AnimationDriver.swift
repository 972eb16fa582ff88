package import HalcyonSupport

/// The frame clock of a view: notifies of the first frame at or after a time.
@MainActor
package protocol FrameClock: AnyObject {
  /// Called with the uptime of a frame that was waited for.
  var onFrame: (@MainActor (Duration) -> Void)? { get set }
  /// Waits for an uptime, in place of an earlier one.
  func set(_ time: Duration)
  /// Waits no longer.
  func cancel()
}

/// Plays the animation of one view while the view is visible: for every toolkit, over its ``FrameClock``.
@MainActor
package final class AnimationDriver: AnimationViewer {
  /// The player of the animation that is shown; `nil` for other content.
  package var player: AnimationPlayer? {
    didSet {
      guard player !== oldValue else { return }
      // Before the old one loses its last view, and with it the frames that both may share.
      if isVisible { player?.add(self) }
      oldValue?.remove(self)
      scheduleNextFrame()
    }
  }
  /// Whether the view is visible; a hidden one plays nothing. Default: `false`.
  package var isVisible = false {
    didSet {
      guard isVisible != oldValue else { return }
      if isVisible { player?.add(self) } else { player?.remove(self) }
      scheduleNextFrame()
    }
  }
  /// Called when the current frame may have changed.
  package var onChange: (@MainActor () -> Void)?
  /// Receives the events of the player.
  package var onEvent: (@MainActor (AnimationEvent) -> Void)?

  private let clock: any FrameClock

  /// - Parameter clock: The frame clock of the view, which nothing else uses.
  package init(clock: any FrameClock) {
    self.clock = clock
    clock.onFrame = { [weak self] now in self?.player?.advance(to: now) }
  }

  package func animationDidChange() {
    onChange?()
    scheduleNextFrame()
  }

  package func animationDidSend(_ event: AnimationEvent) { onEvent?(event) }

  /// Plays nothing any more.
  package func stop() { isVisible = false }

  private func scheduleNextFrame() {
    if isVisible, let time = player?.nextFrameTime { clock.set(time) } else { clock.cancel() }
  }
}

/// A display whose driver plays the animation that it shows.
@MainActor
package protocol DrivenDisplay: AnimatedDisplay {
  var driver: AnimationDriver { get }
}

extension DrivenDisplay {
  package var animationPlayer: AnimationPlayer? {
    get { driver.player }
    set { driver.player = newValue }
  }

  package var onAnimationEvent: (@MainActor (AnimationEvent) -> Void)? {
    get { driver.onEvent }
    set { driver.onEvent = newValue }
  }
}

/// A frame clock for toolkits without one: a timer, after which the toolkit draws with its next frame.
@MainActor
package final class TimerFrameClock: FrameClock {
  package var onFrame: (@MainActor (Duration) -> Void)?
  private let time: any TimeSource
  private var task: Task<Void, Never>?

  package init(time: any TimeSource) { self.time = time }

  deinit { task?.cancel() }

  package func set(_ time: Duration) {
    cancel()
    task = Task { [weak self, clock = self.time] in
      do { try await clock.sleep(for: max(.zero, time - clock.uptime())) } catch { return }
      guard !Task.isCancelled, let self else { return }
      onFrame?(max(time, clock.uptime()))
    }
  }

  package func cancel() {
    task?.cancel()
    task = nil
  }
}
