/// Plays, pauses and observes the animation that a view shows: `view.hc.animation.pause()`.
///
/// Views that show the same animation play it in step until one of them is controlled here. It then plays on its own,
/// until another image is set, which begins as ``ImageViewOptions/playback`` says. Without an animation, and in displays
/// that show only the first frame, the methods do nothing.
@MainActor
public final class AnimationController {
  /// Called with each event while the view is visible. Default: none. It stays when another image is set.
  public var onEvent: (@MainActor (AnimationEvent) -> Void)?

  private weak var binder: ImageViewBinder?

  init(_ binder: ImageViewBinder) { self.binder = binder }

  /// The number of frames; 0 if the view shows no animation.
  public var frameCount: Int { player?.frameCount ?? 0 }

  /// The index of the frame that is shown, from 0.
  public var currentFrame: Int { player?.index ?? 0 }

  /// Whether the animation plays, or will when the view is visible again.
  public var isPlaying: Bool { player?.isPlaying ?? false }

  /// The speed of the current animation. Initially ``AnimationPlayback/speed``, which says what is clamped.
  public var speed: Double {
    get { player?.playback.speed ?? 1 }
    set { change { $0.speed = newValue } }
  }

  /// How often the current animation is played in total, loops that have ended included. Initially
  /// ``AnimationPlayback/loopCount``.
  public var loopCount: AnimationPlayback.LoopCount {
    get { player?.playback.loopCount ?? .file }
    set { change { $0.loopCount = newValue } }
  }

  /// Plays on from the current frame, or again from the first one if the animation has finished.
  public func play() { ownPlayer?.play() }

  /// Stays at the current frame.
  public func pause() { ownPlayer?.pause() }

  /// Returns to the first frame, and stays there.
  public func stop() { ownPlayer?.stop() }

  private var player: AnimationPlayer? { binder?.driver?.player }

  /// The player of this view alone.
  private var ownPlayer: AnimationPlayer? {
    guard let player else { return nil }
    if !player.isShared { return player }
    let own = player.makeOwn()
    binder?.driver?.player = own
    return own
  }

  private func change(_ change: (inout AnimationPlayback) -> Void) {
    guard let player else { return }
    var playback = player.playback
    change(&playback)
    guard playback != player.playback else { return }
    ownPlayer?.change(playback)
  }
}
