package import HalcyonImaging

/// Plays one animated image: for all views that show it with the same options, in step, or for one view that controls it.
///
/// Views drive it: each calls ``advance(to:)`` in the first frame of its frame clock at or after ``nextFrameTime``. The
/// next frame of the animation is decoded on another thread while the current one is shown; if it is late, the current
/// one stays. While no view is visible, playback is paused and only the current frame is held.
@MainActor
package final class AnimationPlayer {
  /// Animations of up to this many decoded bytes are decoded once, larger ones again in each loop.
  private static let fullCacheByteLimit = 32 << 20
  /// Decoded frames held of a large animation: the next one, three after it, and the one being replaced.
  private static let windowFrameCount = 5

  private struct Key: Hashable {
    let animation: ObjectIdentifier
    let playback: AnimationPlayback
  }
  private struct WeakPlayer { weak var player: AnimationPlayer? }
  private struct WeakViewer { weak var viewer: AnimationDriver? }

  private static var players: [Key: WeakPlayer] = [:]

  /// The current frame.
  package private(set) var bitmap: Bitmap
  /// Whether views share the player, which none of them may control.
  package let isShared: Bool
  /// The options, which can be changed unless the player is shared.
  package private(set) var playback: AnimationPlayback
  /// Whether the animation plays, or would if a view were visible.
  package var isPlaying: Bool { !isPaused && !timeline.isOver }

  private let image: DecodedImage
  private let animation: AnimatedImage
  private let frames: AnimationFrames
  private let now: @MainActor () -> Duration
  private var timeline: AnimationTimeline
  private var isPaused: Bool
  /// Whether ``AnimationEvent/started`` has been sent since the last pause.
  private var hasStarted = false
  /// The duration of the current frame; `nil` until the animation's first frame has been decoded.
  private var duration: Duration?
  private var nextFrame: (index: Int, frame: AnimationFrame)?
  private var decoding: Task<Void, Never>?
  private let cachesAllFrames: Bool
  private var viewers: [ObjectIdentifier: WeakViewer] = [:]

  private init(
    _ image: DecodedImage, _ animation: AnimatedImage, playback: AnimationPlayback, isShared: Bool,
    now: @escaping @MainActor () -> Duration
  ) {
    let frameByteCount = image.bitmap.byteCount
    let (total, overflow) = frameByteCount.multipliedReportingOverflow(by: animation.animation.frameCount)
    cachesAllFrames = !overflow && total <= Self.fullCacheByteLimit
    // Shared with everything else that reads the animation, such as preloading. For a large animation only a few frames
    // are held, which views at different frames cannot share.
    frames = isShared || cachesAllFrames ? animation.decodedFrames : animation.makeFrames()
    if !cachesAllFrames, !image.holdsFrames { frames.lowerLimit(to: Self.windowFrameCount * frameByteCount) }
    timeline = AnimationTimeline(playback.info(of: animation), speed: playback.speed)
    bitmap = image.bitmap
    isPaused = !playback.playsAutomatically
    (self.image, self.animation, self.playback, self.isShared, self.now) = (image, animation, playback, isShared, now)
  }

  /// The player of an image, shared by all views that show it with these options; `nil` for a still image.
  ///
  /// - Parameter now: The uptime, in the clock of the views' frames.
  package static func shared(
    for image: DecodedImage, playback: AnimationPlayback = AnimationPlayback(), now: @escaping @MainActor () -> Duration
  ) -> AnimationPlayer? {
    guard let animation = image.animation, animation.animation.frameCount > 1, !playback.showsFirstFrameOnly else {
      return nil
    }
    let key = Key(animation: ObjectIdentifier(animation), playback: playback)
    if let player = players[key]?.player { return player }
    players = players.filter { $0.value.player != nil }
    let player = AnimationPlayer(image, animation, playback: playback, isShared: true, now: now)
    players[key] = WeakPlayer(player: player)
    return player
  }

  /// A player for one view, at the same frame.
  package func makeOwn() -> AnimationPlayer {
    let own = AnimationPlayer(image, animation, playback: playback, isShared: false, now: now)
    (own.timeline, own.bitmap, own.duration) = (timeline, bitmap, duration)
    (own.isPaused, own.hasStarted) = (isPaused, hasStarted)
    // Starts again when the view is added.
    own.timeline.pause(at: now())
    return own
  }

  /// The index of the current frame.
  package var index: Int { timeline.index }

  /// The number of frames.
  package var frameCount: Int { animation.animation.frameCount }

  /// The bytes of all decoded frames that are held.
  package var byteCount: Int { frames.byteCount }

  /// The uptime at which views call ``advance(to:)``, or `nil` while no frame is due. Viewers are notified of changes.
  package var nextFrameTime: Duration? { nextFrame == nil ? nil : timeline.dueTime }

  /// Adds a view that has become visible; the first one starts or resumes playback.
  package func add(_ viewer: AnimationDriver) {
    viewers = viewers.filter { $0.value.viewer != nil }
    if viewers.isEmpty, timeline.isOver { restart() }
    let isKnown = viewers.updateValue(WeakViewer(viewer: viewer), forKey: ObjectIdentifier(viewer)) != nil
    // A view that controls its animation has seen it start.
    if hasStarted, !timeline.isOver, isShared, !isKnown { viewer.animationDidSend(.started) }
    continuePlayback()
  }

  /// Removes a view that has been hidden; without views, playback is paused and decoded frames are freed.
  package func remove(_ viewer: AnimationDriver) {
    viewers[ObjectIdentifier(viewer)] = nil
    viewers = viewers.filter { $0.value.viewer != nil }
    guard viewers.isEmpty else { return }
    halt()
    frames.removeAll()
  }

  /// Shows the frame for an uptime, and notifies all viewers if it is another one.
  package func advance(to now: Duration) {
    var latest: AnimationFrame?
    let loopCount = timeline.finishedLoopCount
    let hasMoved = timeline.advance(to: now) { index in
      latest = nextFrame?.index == index ? nextFrame?.frame : frames.cachedFrame(at: index)
      return latest?.duration
    }
    guard hasMoved, let latest = latest ?? nextFrame?.frame else { return }
    bitmap = latest.bitmap
    duration = latest.duration
    nextFrame = nil
    continuePlayback()
    notifyViewers()
    if timeline.finishedLoopCount > loopCount { send(.looped(count: timeline.finishedLoopCount)) }
    send(.frameChanged(index: timeline.index))
    if timeline.isOver { send(.finished) }
  }

  /// Begins at the first frame again.
  private func restart() {
    timeline.restart()
    (duration, nextFrame, hasStarted) = (nil, nil, false)
  }

  /// Stops the timeline and the decoder.
  private func halt() {
    timeline.pause(at: now())
    decoding?.cancel()
    (decoding, nextFrame) = (nil, nil)
  }

  /// Starts the timeline if the current frame's duration is known, and decodes the next frame.
  private func continuePlayback() {
    guard !viewers.isEmpty, !isPaused else { return }
    if let duration {
      timeline.start(at: now(), duration: duration)
      if !hasStarted, timeline.dueTime != nil {
        hasStarted = true
        send(.started)
      }
    }
    let index = duration == nil ? timeline.index : timeline.nextIndex
    guard let index, decoding == nil, nextFrame?.index != index else { return }
    if cachesAllFrames, duration != nil, let frame = frames.cachedFrame(at: index) {
      nextFrame = (index, frame)
      return
    }
    // In their order, which takes decoding each once; backwards each takes decoding all before it.
    let preloads = playback.speed < 0 && cachesAllFrames
    decoding = Task { [weak self, frames] in
      if preloads { try? await frames.preload() }
      let frame = try? await frames.frame(at: index)
      guard !Task.isCancelled else { return }
      self?.didDecode(frame, at: index)
    }
  }

  /// - Parameter frame: `nil` if it cannot be decoded. Playback ends before it; the current frame stays.
  private func didDecode(_ frame: AnimationFrame?, at index: Int) {
    guard let frame else { return send(.finished) }
    decoding = nil
    if duration == nil {
      duration = frame.duration
      bitmap = frame.bitmap
    } else {
      nextFrame = (index, frame)
    }
    continuePlayback()
    notifyViewers()
  }

  private func notifyViewers() {
    for viewer in viewers.values { viewer.viewer?.animationDidChange() }
  }

  private func send(_ event: AnimationEvent) {
    for viewer in viewers.values { viewer.viewer?.animationDidSend(event) }
  }
}

/// The commands of a view; only for players that are not shared.
extension AnimationPlayer {
  /// Plays on, or again from the first frame if the animation is over.
  package func play() {
    if timeline.isOver { restart() }
    isPaused = false
    continuePlayback()
    notifyViewers()
  }

  /// Stays at the current frame.
  package func pause() {
    isPaused = true
    hasStarted = false
    halt()
    notifyViewers()
  }

  /// Returns to the first frame, and stays there.
  package func stop() {
    let hasMoved = timeline.index > 0
    pause()
    restart()
    bitmap = image.bitmap
    notifyViewers()
    if hasMoved { send(.frameChanged(index: 0)) }
  }

  /// Changes the speed, also of the current frame, and the number of loops.
  package func change(_ playback: AnimationPlayback) {
    self.playback = playback
    timeline.change(playback.info(of: animation), speed: playback.speed, at: now())
    nextFrame = nil
    continuePlayback()
    notifyViewers()
  }
}
