package import HalcyonImaging
package import HalcyonSupport

/// The frame clock of a view: notifies of the first frame at or after a time.
@MainActor
package protocol FrameClock: AnyObject {
  /// The uptime, in this clock. It does not retain the clock.
  var now: @MainActor () -> Duration { get }
  /// Called with the uptime of a frame that was waited for.
  var onFrame: (@MainActor (Duration) -> Void)? { get set }
  /// Waits for an uptime, in place of an earlier one.
  func set(_ time: Duration)
  /// Cancels the wait.
  func cancel()
}

/// A display with the frame clock of its toolkit.
@MainActor
package protocol ClockedDisplay: AnimatedDisplay {
  /// A frame clock that nothing else uses.
  func makeFrameClock() -> any FrameClock
}

/// Plays the animation of one view while the view is visible: for every toolkit, over its ``FrameClock``.
@MainActor
package final class AnimationDriver {
  /// The player of the animation that is shown; `nil` for other content.
  package var player: AnimationPlayer? {
    didSet {
      guard player !== oldValue else { return }
      // Added before the old player loses its last view, so that frames shared by both are not freed.
      if isVisible { player?.add(self) }
      oldValue?.remove(self)
      animationDidChange()
    }
  }
  /// Whether the view is visible; a hidden one plays nothing. Default: `false`.
  package var isVisible = false {
    didSet {
      guard isVisible != oldValue else { return }
      if isVisible { player?.add(self) } else { player?.remove(self) }
      animationDidChange()
    }
  }
  /// Called with each frame to show.
  package var onFrame: (@MainActor (Bitmap) -> Void)?
  /// Receives the events of the player.
  package var onEvent: (@MainActor (AnimationEvent) -> Void)?

  /// The frame that the view shows.
  private var shown: Bitmap?
  private let clock: any FrameClock

  /// - Parameter clock: The frame clock of the view, which nothing else uses.
  package init(clock: any FrameClock) {
    self.clock = clock
    clock.onFrame = { [weak self] now in self?.player?.advance(to: now) }
  }

  /// Plays an image that the view shows; does nothing if it is not animated.
  package func play(_ image: DecodedImage, _ playback: AnimationPlayback) {
    shown = image.bitmap
    player = .shared(for: image, playback: playback, now: clock.now)
  }

  /// Called when the current frame, or the time at which the next one is due, has changed.
  func animationDidChange() {
    if isVisible, let time = player?.nextFrameTime { clock.set(time) } else { clock.cancel() }
    guard isVisible, let frame = player?.bitmap, shown?.address != frame.address else { return }
    shown = frame
    onFrame?(frame)
  }

  /// Called after ``animationDidChange()``.
  func animationDidSend(_ event: AnimationEvent) { onEvent?(event) }
}

extension Bitmap {
  var address: UnsafeRawPointer? { withUnsafeBytes { $0.baseAddress } }
}

/// A frame clock for toolkits without one: a timer, after which the toolkit draws with its next frame.
@MainActor
package final class TimerFrameClock: FrameClock {
  package var now: @MainActor () -> Duration { time.uptime }
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
