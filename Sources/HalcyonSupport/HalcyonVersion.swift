/// The version of this library.
public enum HalcyonVersion {
  /// The semantic version: that of the release, or of the next release in a development checkout. Sent in the
  /// `User-Agent` header.
  public static let current = "0.1.0"
}
