#if GTK

package import HalcyonImaging
import CGTK

/// Plays one animated image for all views that show it, all of them at the same picture.
///
/// It moves when a view asks it to, which views do in the first frame that is not before ``wakeTime``. The next picture
/// is decoded on another thread while one is shown; one that is late is waited for. Without views on the screen it stands
/// still, and holds no picture but the one that it stands at.
@MainActor
package final class AnimationPlayer {
  /// Animations that take fewer bytes are decoded once, larger ones again in each round.
  private static let keptByteCount = 32 << 20
  /// Pictures held of a large animation: the one to come, three after it, and the one that is being left.
  private static let windowCount = 5

  private struct WeakPlayer { weak var player: AnimationPlayer? }
  private struct WeakViewer { weak var viewer: (any AnimationViewer)? }

  private static var players: [ObjectIdentifier: WeakPlayer] = [:]

  /// The picture that is shown.
  private(set) var texture: ObjectReference
  private let frames: AnimationFrames
  private var timeline: AnimationTimeline
  /// How long the picture that is shown is shown; `nil` while only its pixels are known.
  private var duration: Duration?
  private var upcoming: (index: Int, frame: AnimationFrame)?
  private var preparation: Task<Void, Never>?
  private let keepsAll: Bool
  private var viewers: [ObjectIdentifier: WeakViewer] = [:]

  private init(_ animation: AnimatedImage, still: DecodedImage) {
    let frameByteCount = still.bitmap.byteCount
    let (total, overflow) = frameByteCount.multipliedReportingOverflow(by: animation.animation.frameCount)
    keepsAll = !overflow && total <= Self.keptByteCount
    frames = AnimationFrames(
      animation, byteLimit: keepsAll ? Self.keptByteCount : Self.windowCount * frameByteCount)
    timeline = AnimationTimeline(animation.animation)
    texture = ObjectReference(adopting: still.makeTexture())
  }

  /// The player of an image, shared by all who show it; `nil` for a still image.
  package static func shared(for image: DecodedImage) -> AnimationPlayer? {
    guard let animation = image.animation, animation.animation.frameCount > 1 else { return nil }
    let key = ObjectIdentifier(animation)
    if let player = players[key]?.player { return player }
    players = players.filter { $0.value.player != nil }
    let player = AnimationPlayer(animation, still: image)
    players[key] = WeakPlayer(player: player)
    return player
  }

  /// Which picture is shown.
  package var index: Int { timeline.index }

  /// Bytes of the pictures that are decoded.
  package var byteCount: Int { frames.byteCount }

  /// When views are to call ``advance(to:)``; `nil` while there is nothing to wait for. Views are told when it changes.
  package var wakeTime: Duration? { upcoming == nil ? nil : timeline.dueTime }

  /// Counts in a view that has come onto the screen.
  func join(_ viewer: any AnimationViewer) {
    viewers = viewers.filter { $0.value.viewer != nil }
    if viewers.isEmpty, timeline.isOver { restart() }
    viewers[ObjectIdentifier(viewer)] = WeakViewer(viewer: viewer)
    run()
  }

  /// Counts out a view that has left the screen.
  func leave(_ viewer: any AnimationViewer) {
    viewers[ObjectIdentifier(viewer)] = nil
    viewers = viewers.filter { $0.value.viewer != nil }
    guard viewers.isEmpty else { return }
    timeline.pause(at: .microseconds(g_get_monotonic_time()))
    preparation?.cancel()
    (preparation, upcoming) = (nil, nil)
    frames.removeAll()
  }

  /// Shows the picture that belongs to a time, and tells all views when it is another one.
  func advance(to now: Duration) {
    var latest: AnimationFrame?
    let hasMoved = timeline.advance(to: now) { index in
      latest = upcoming?.index == index ? upcoming?.frame : frames.cachedFrame(at: index)
      return latest?.duration
    }
    guard hasMoved, let latest = latest ?? upcoming?.frame else { return }
    texture = ObjectReference(adopting: SharedTextures.all.texture(for: latest.bitmap))
    duration = latest.duration
    upcoming = nil
    run()
    tellViewers()
  }

  private func restart() {
    timeline.restart()
    (duration, upcoming) = (nil, nil)
  }

  /// Gets what is needed next, and starts the timeline when it can be.
  private func run() {
    guard !viewers.isEmpty else { return }
    if let duration { timeline.start(at: .microseconds(g_get_monotonic_time()), duration: duration) }
    let wanted = duration == nil ? timeline.index : timeline.nextIndex
    guard let wanted, preparation == nil, upcoming?.index != wanted else { return }
    if keepsAll, duration != nil, let frame = frames.cachedFrame(at: wanted) {
      upcoming = (wanted, frame)
      return
    }
    preparation = Task { [weak self, frames] in
      // A picture that cannot be decoded is the end: what came before it stays.
      guard let frame = try? await frames.frame(at: wanted), !Task.isCancelled else { return }
      self?.take(frame, at: wanted)
    }
  }

  private func take(_ frame: AnimationFrame, at index: Int) {
    preparation = nil
    if duration == nil {
      duration = frame.duration
      texture = ObjectReference(adopting: SharedTextures.all.texture(for: frame.bitmap))
    } else {
      upcoming = (index, frame)
    }
    run()
    tellViewers()
  }

  private func tellViewers() {
    for viewer in viewers.values { viewer.viewer?.animationDidChange() }
  }
}

/// Somebody who shows an animation.
@MainActor
protocol AnimationViewer: AnyObject {
  /// The picture, or the time at which the next one is due, is another.
  func animationDidChange()
}
#endif
