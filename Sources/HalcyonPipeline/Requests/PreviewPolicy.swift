/// How often a task delivers previews of a partly downloaded image.
///
/// Previews are delivered as ``ImageTask/Event/preview(_:)``, in the size and with the processors of the request:
/// - progressive JPEG and interlaced PNG images with increasing detail;
/// - the Exif thumbnail of a JPEG image before its own data, if it has the same aspect ratio; a baseline JPEG image
///   without one by its rows, the missing ones grey;
/// - the first frame of a GIF, WebP or PNG animation, as soon as the second begins.
///
/// They are not cached, unless ``keepsLast`` is set. Each costs as much as decoding the bytes received
/// so far; a task decodes at most one at a time.
///
/// ```swift
/// request.options.previews = PreviewPolicy(minimumInterval: .milliseconds(500))
/// ```
public struct PreviewPolicy: Hashable, Sendable {
  /// The minimum time between two previews. Default: 200 milliseconds.
  public var minimumInterval: Duration

  /// Whether the last preview is kept in memory until the image is loaded, so that a later task that finds no image
  /// there begins with it, also after a load that failed or was cancelled. Default: no.
  ///
  /// A view shows it before `setImage` returns, for example in a reused cell of a list whose load was cut short.
  ///
  /// A response with `no-store` leaves no preview.
  public var keepsLast: Bool

  /// Whether previews are delivered. `PreviewMaker` decides when and from which bytes.
  let isEnabled: Bool

  /// Creates a policy.
  public init(minimumInterval: Duration = .milliseconds(200), keepsLast: Bool = false) {
    self.init(minimumInterval: minimumInterval, keepsLast: keepsLast, isEnabled: true)
  }

  private init(minimumInterval: Duration, keepsLast: Bool, isEnabled: Bool) {
    self.minimumInterval = minimumInterval
    self.keepsLast = keepsLast
    self.isEnabled = isEnabled
  }

  /// No previews.
  public static let never = PreviewPolicy(minimumInterval: .zero, keepsLast: false, isEnabled: false)
}
