#if GTK

package import HalcyonImaging
import CGTK

/// Plays one animated image for all views that show it, in step.
///
/// Views drive it: each calls ``advance(to:)`` in the first frame of its frame clock at or after ``nextFrameTime``. The
/// next frame of the animation is decoded on another thread while the current one is shown; if it is late, the current
/// one stays. While no view is visible, playback is paused and only the current texture is held.
@MainActor
package final class AnimationPlayer {
  /// Animations of up to this many decoded bytes are decoded once, larger ones again in each loop.
  private static let fullCacheByteLimit = 32 << 20
  /// Decoded frames held of a large animation: the next one, three after it, and the one being replaced.
  private static let windowFrameCount = 5

  private struct WeakPlayer { weak var player: AnimationPlayer? }
  private struct WeakViewer { weak var viewer: (any AnimationViewer)? }

  private static var players: [ObjectIdentifier: WeakPlayer] = [:]

  /// The current frame.
  private(set) var texture: ObjectReference
  private let frames: AnimationFrames
  private var timeline: AnimationTimeline
  /// The duration of the current frame; `nil` until the animation's first frame has been decoded.
  private var duration: Duration?
  private var nextFrame: (index: Int, frame: AnimationFrame)?
  private var decoding: Task<Void, Never>?
  private let cachesAllFrames: Bool
  private var viewers: [ObjectIdentifier: WeakViewer] = [:]

  private init(_ animation: AnimatedImage, firstFrame: DecodedImage) {
    let frameByteCount = firstFrame.bitmap.byteCount
    let (total, overflow) = frameByteCount.multipliedReportingOverflow(by: animation.animation.frameCount)
    cachesAllFrames = !overflow && total <= Self.fullCacheByteLimit
    // Shared with everything else that reads the animation, such as the preloading of its frames.
    frames = animation.frames
    if !cachesAllFrames, !firstFrame.holdsFrames { frames.lowerLimit(to: Self.windowFrameCount * frameByteCount) }
    timeline = AnimationTimeline(animation.animation)
    texture = ObjectReference(adopting: firstFrame.makeTexture())
  }

  /// The player of an image, shared by all views that show it, or `nil` for a still image.
  package static func shared(for image: DecodedImage) -> AnimationPlayer? {
    guard let animation = image.animation, animation.animation.frameCount > 1 else { return nil }
    let key = ObjectIdentifier(animation)
    if let player = players[key]?.player { return player }
    players = players.filter { $0.value.player != nil }
    let player = AnimationPlayer(animation, firstFrame: image)
    players[key] = WeakPlayer(player: player)
    return player
  }

  /// The index of the current frame.
  package var index: Int { timeline.index }

  /// The bytes of all decoded frames that are held.
  package var byteCount: Int { frames.byteCount }

  /// The uptime at which views call ``advance(to:)``, or `nil` while no frame is due. Viewers are notified of changes.
  package var nextFrameTime: Duration? { nextFrame == nil ? nil : timeline.dueTime }

  /// Adds a view that has become visible; the first one starts or resumes playback.
  func add(_ viewer: any AnimationViewer) {
    viewers = viewers.filter { $0.value.viewer != nil }
    if viewers.isEmpty, timeline.isOver { restart() }
    viewers[ObjectIdentifier(viewer)] = WeakViewer(viewer: viewer)
    continuePlayback()
  }

  /// Removes a view that has been hidden; without views, playback is paused and decoded frames are freed.
  func remove(_ viewer: any AnimationViewer) {
    viewers[ObjectIdentifier(viewer)] = nil
    viewers = viewers.filter { $0.value.viewer != nil }
    guard viewers.isEmpty else { return }
    timeline.pause(at: .microseconds(g_get_monotonic_time()))
    decoding?.cancel()
    (decoding, nextFrame) = (nil, nil)
    frames.removeAll()
  }

  /// Shows the frame for an uptime, and notifies all viewers if it is another one.
  func advance(to now: Duration) {
    var latest: AnimationFrame?
    let hasMoved = timeline.advance(to: now) { index in
      latest = nextFrame?.index == index ? nextFrame?.frame : frames.cachedFrame(at: index)
      return latest?.duration
    }
    guard hasMoved, let latest = latest ?? nextFrame?.frame else { return }
    texture = ObjectReference(adopting: SharedTextures.all.texture(for: latest.bitmap))
    duration = latest.duration
    nextFrame = nil
    continuePlayback()
    notifyViewers()
  }

  private func restart() {
    timeline.restart()
    (duration, nextFrame) = (nil, nil)
  }

  /// Starts the timeline if the current frame's duration is known, and decodes the next frame.
  private func continuePlayback() {
    guard !viewers.isEmpty else { return }
    if let duration { timeline.start(at: .microseconds(g_get_monotonic_time()), duration: duration) }
    let index = duration == nil ? timeline.index : timeline.nextIndex
    guard let index, decoding == nil, nextFrame?.index != index else { return }
    if cachesAllFrames, duration != nil, let frame = frames.cachedFrame(at: index) {
      nextFrame = (index, frame)
      return
    }
    decoding = Task { [weak self, frames] in
      // Playback ends at a frame that cannot be decoded; the current frame stays.
      guard let frame = try? await frames.frame(at: index), !Task.isCancelled else { return }
      self?.didDecode(frame, at: index)
    }
  }

  private func didDecode(_ frame: AnimationFrame, at index: Int) {
    decoding = nil
    if duration == nil {
      duration = frame.duration
      texture = ObjectReference(adopting: SharedTextures.all.texture(for: frame.bitmap))
    } else {
      nextFrame = (index, frame)
    }
    continuePlayback()
    notifyViewers()
  }

  private func notifyViewers() {
    for viewer in viewers.values { viewer.viewer?.animationDidChange() }
  }
}

/// A view that shows an animation.
@MainActor
protocol AnimationViewer: AnyObject {
  /// Called when the current frame, or the time at which the next one is due, has changed.
  func animationDidChange()
}
#endif
