/// The version of this library.
public enum HalcyonVersion {
  /// The semantic version of the release; in a development checkout, of the next release. Sent in the `User-Agent`
  /// header.
  public static let current = "0.1.0"
}
