/// How often a task shows what has arrived of an image.
///
/// Progressive JPEG and interlaced PNG are shown with growing detail, as ``ImageTask/Event/preview(_:)``, at the size and
/// with the processors of the request. Previews are never kept. Each costs what decoding its bytes does, and at most one
/// is made at a time for a task.
public struct PreviewPolicy: Hashable, Sendable {
  /// The shortest time between two previews. Default: 200 milliseconds.
  public var minimumInterval: Duration

  /// Whether there are previews at all.
  let isEnabled: Bool

  /// Creates a policy.
  public init(minimumInterval: Duration = .milliseconds(200)) {
    self.init(minimumInterval: minimumInterval, isEnabled: true)
  }

  private init(minimumInterval: Duration, isEnabled: Bool) {
    self.minimumInterval = minimumInterval
    self.isEnabled = isEnabled
  }

  /// No previews: the image is shown when it is whole.
  public static let never = PreviewPolicy(minimumInterval: .zero, isEnabled: false)
}
