/// Which frames of an animated image are loaded, preloaded and processed.
///
/// The default is `.frames()`: frames are decoded while they are shown, and the result of a processor is a still image.
public enum AnimationPolicy: Hashable, Sendable {
  /// The first frame only, as a still image.
  case firstFrame
  /// All frames.
  ///
  /// - `preloaded`: Frames are decoded before delivery, as many as the cache of an ``AnimatedImage`` holds. A view shows an
  ///   image from memory at once, and decodes its frames meanwhile. No effect where no image is delivered.
  /// - `processed`: Processors apply to every frame, each when it is shown.
  case frames(preloaded: Bool = false, processed: Bool = false)

  var preloadsFrames: Bool {
    if case .frames(preloaded: true, _) = self { true } else { false }
  }

  var processesFrames: Bool {
    if case .frames(_, processed: true) = self { true } else { false }
  }
}
