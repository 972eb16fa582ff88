import HalcyonSupport
import HalcyonImaging

/// The place of an entry within its shard, and what its reads leave behind.
struct CacheSlot: Sendable {
  static let vacant = CacheSlot()

  let key: CacheKey
  /// `nil` in a vacant slot.
  var image: DecodedImage?
  let lifetime: Lifetime
  /// Reads since the policy last looked, 3 at most. It lies where there is room.
  var uses: UInt8 = 0
  private(set) var deadline: Deadline
  /// The number that the ledger gave the entry.
  let node: Int

  init(_ entry: CacheEntry, node: Int) {
    key = entry.key
    image = entry.image
    lifetime = entry.lifetime
    deadline = entry.deadline
    self.node = node
  }

  private init() {
    key = ""
    lifetime = .never
    deadline = .never
    node = 0
  }

  /// What the slot holds.
  var entry: CacheEntry? {
    image.map { CacheEntry(key: key, image: $0, lifetime: lifetime, deadline: deadline) }
  }

  @inline(__always)
  mutating func noteRead(extending: ExpirationExtension, from uptime: Int64) {
    if uses < 3 { uses += 1 }
    let extended = deadline.extended(extending, lifetime: lifetime, from: uptime)
    // Most reads within a tick of the clock find nothing to write, and leave the slot to all processors.
    if extended != deadline { deadline = extended }
  }
}
