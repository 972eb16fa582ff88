/// Until when a downloaded image may be shown without revalidation, and which bytes it was decoded from.
package struct SourceFreshness: Hashable, Sendable {
  /// An uptime rather than a date, since a date may jump.
  package var end: Duration
  /// A hash of the encoded bytes.
  package var version: UInt64

  package init(end: Duration, version: UInt64) {
    self.end = end
    self.version = version
  }
}
