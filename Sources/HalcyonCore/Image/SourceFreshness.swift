/// For how long an image from the web may be shown without asking its server.
struct SourceFreshness: Hashable, Sendable {
  /// The uptime until which it may; it does not jump as dates do.
  var end: Duration
  /// Stands for the encoded bytes that the pixels were made of.
  var version: UInt64
}
