/// What a writer may put on the disk before it asks the index again: bytes, and numbers for its files.
///
/// The bytes count against the limit from the moment they are given, whether they are used or not.
struct Reservation {
  /// How many numbers are given at a time.
  static let idCount = 64

  var byteCount = 0
  var ids: Range<Int64> = 0..<0

  /// Whether it is enough for an entry.
  func covers(_ byteCount: Int) -> Bool { byteCount <= self.byteCount && !ids.isEmpty }
}
