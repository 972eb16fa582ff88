/// How often a task delivers previews of a partly downloaded image.
///
/// Progressive JPEG and interlaced PNG images are delivered with increasing detail as ``ImageTask/Event/preview(_:)``,
/// in the size and with the processors of the request. Previews are never cached. Each costs as much as decoding the
/// bytes received so far; a task decodes at most one at a time.
public struct PreviewPolicy: Hashable, Sendable {
  /// The minimum time between two previews. Default: 200 milliseconds.
  public var minimumInterval: Duration

  /// Whether previews are delivered.
  let isEnabled: Bool

  /// Creates a policy.
  public init(minimumInterval: Duration = .milliseconds(200)) {
    self.init(minimumInterval: minimumInterval, isEnabled: true)
  }

  private init(minimumInterval: Duration, isEnabled: Bool) {
    self.minimumInterval = minimumInterval
    self.isEnabled = isEnabled
  }

  /// No previews.
  public static let never = PreviewPolicy(minimumInterval: .zero, isEnabled: false)
}
