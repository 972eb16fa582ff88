/// How often a task shows what has arrived of an image.
///
/// Progressive JPEG and interlaced PNG are shown with growing detail, as ``ImageTask/Event/preview(_:)``, at the size and
/// with the processors of the request. Previews are never kept. Each costs what decoding its bytes does, and at most one
/// is made at a time for a task.
public struct PreviewPolicy: Hashable, Sendable {
  /// The shortest time between two previews. Default: 200 milliseconds.
  public var minimumInterval: Duration

  /// Creates a policy.
  public init(minimumInterval: Duration = .milliseconds(200)) {
    self.minimumInterval = minimumInterval
  }
}
