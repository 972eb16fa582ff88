import HalcyonSupport
import HalcyonImaging
public import HalcyonCache
import Foundation

/// The laws of `MemoryStore` as a check that runs under any test framework.
///
/// ```swift
/// @Test func `our memory tier keeps the laws`() throws {
///   try MemoryStoreLaws.check { OurMemory() }
/// }
/// ```
public enum MemoryStoreLaws {
  /// A law that a store broke.
  public struct Violation: Error, CustomStringConvertible {
    /// What was expected and what came.
    public let description: String
  }

  /// Checks all laws, save that calls return at once and may come from any thread.
  ///
  /// - Parameter makeStore: Makes an empty store with room for at least 512 KiB in 100 images. A limit above 1 MiB is
  ///   lowered to that where images have to fill it.
  /// - Throws: ``Violation`` for the first law that is broken; what `makeStore` throws.
  public static func check(_ makeStore: () throws -> any MemoryStore) throws {
    let laws = [
      returnsWhatWasStored, tellsKeysApart, replaces, forgets, servesNothingExpired, refusesWhatIsTooLarge,
      staysWithinItsLimit, evictsAtOnce,
    ]
    for law in laws { try law(makeStore()) }
  }

  private static func returnsWhatWasStored(_ store: any MemoryStore) throws {
    try expect(store, "nothing was stored", "a", nil)
    for (number, byteCount) in [4, 400, 4096, 65_536].enumerated() {
      let key = CacheKey("image of \(byteCount) bytes")
      try put(image(number, byteCount: byteCount), under: key, in: store)
      try expect(store, "an image was stored", key, image(number, byteCount: byteCount))
      try expect(store, "it was read", key, image(number, byteCount: byteCount))
    }
  }

  private static func tellsKeysApart(_ store: any MemoryStore) throws {
    let texts = DataStoreLaws.keyTexts
    for (number, text) in texts.enumerated() { try put(image(number), under: CacheKey(text), in: store) }
    for (number, text) in texts.enumerated() {
      // Swift takes two spellings of one letter for equal texts; a key's bytes decide, and either answer is lawful.
      if texts.firstIndex(of: text) != texts.lastIndex(of: text) { continue }
      try expect(store, "many images were stored", CacheKey(text), image(number))
    }
  }

  private static func replaces(_ store: any MemoryStore) throws {
    for round in 1...20 {
      try put(image(round, byteCount: 40_000 / round), under: "a", in: store)
      try expect(store, "\(round) images were stored", "a", image(round, byteCount: 40_000 / round))
    }
  }

  private static func forgets(_ store: any MemoryStore) throws {
    for key in ["a", "b", "c"] as [CacheKey] { try put(image(1), under: key, in: store) }
    store.removeImage(for: "a")
    store.removeImage(for: "missing")
    try expect(store, "an image was removed", "a", nil)
    try expect(store, "another was removed", "b", image(1))
    try put(image(2), under: "a", in: store)
    try expect(store, "an image was stored again", "a", image(2))
    store.removeAll()
    for key in ["a", "b", "c"] as [CacheKey] { try expect(store, "all were removed", key, nil) }
  }

  private static func servesNothingExpired(_ store: any MemoryStore) throws {
    for expiration in [CacheExpiration.expired, .date(.distantPast)] {
      try put(image(1), under: "a", in: store)
      store.store(try image(2), for: "a", expiration: expiration)
      try expect(store, "an image was stored whose time is over", "a", nil)
    }
  }

  private static func refusesWhatIsTooLarge(_ store: any MemoryStore) throws {
    try put(image(1), under: "a", in: store)
    let tooLarge = try image(2, byteCount: lowerLimit(of: store) + 4)
    for key in ["a", "b"] as [CacheKey] {
      guard !store.store(tooLarge, for: key, expiration: .never) else {
        throw Violation(description: "An image that costs more than the limit is said to be kept.")
      }
      try expect(store, "an image larger than the limit was refused", key, nil)
    }
  }

  private static func staysWithinItsLimit(_ store: any MemoryStore) throws {
    _ = try lowerLimit(of: store)
    let keys = (0..<60).map { CacheKey("\($0)") }
    for step in 0..<180 {
      let key = keys[step % keys.count]
      let isKept = store.store(
        try image(step, byteCount: 4 + step * 7919 % 65_536), for: key, expiration: .never)
      guard store.contains(key) == isKept else {
        throw Violation(description: "Whether an image was kept is answered wrongly: \(isKept).")
      }
      try expectWithinLimit(store, keys)
    }
  }

  private static func evictsAtOnce(_ store: any MemoryStore) throws {
    let keys = (0..<40).map { CacheKey("\($0)") }
    for (number, key) in keys.enumerated() { try put(image(number, byteCount: 8192), under: key, in: store) }
    for limit in [250_000, 100_000, 10_000, 0] {
      try setLimit(limit, of: store)
      try expectWithinLimit(store, keys)
    }
  }

  /// Lowers a limit that a check cannot fill, and returns what it is then.
  private static func lowerLimit(of store: any MemoryStore) throws -> Int {
    let limit = min(store.configuration.costLimit, 1 << 20)
    try setLimit(limit, of: store)
    return limit
  }

  private static func setLimit(_ costLimit: Int, of store: any MemoryStore) throws {
    store.configuration.costLimit = costLimit
    let told = store.configuration.costLimit
    guard told != costLimit else { return }
    throw Violation(description: "A limit that was set to \(costLimit) bytes is said to be \(told).")
  }

  /// No image is held while all are read: one that is may be found though it was evicted.
  private static func expectWithinLimit(_ store: any MemoryStore, _ keys: [CacheKey]) throws {
    let limit = store.configuration.costLimit
    let cost = keys.reduce(0) { $0 + (store.image(for: $1)?.byteCount ?? 0) }
    guard cost > limit else { return }
    throw Violation(description: "Images of \(cost) bytes are held, and the limit is \(limit).")
  }

  /// Stores an image for which there is room.
  private static func put(_ image: DecodedImage, under key: CacheKey, in store: any MemoryStore) throws {
    guard !store.store(image, for: key, expiration: .never) else { return }
    throw Violation(description: "An image of \(image.byteCount) bytes was not kept, though there is room for it.")
  }

  private static func expect(
    _ store: any MemoryStore, _ situation: String, _ key: CacheKey, _ expected: DecodedImage?
  ) throws {
    guard store.contains(key) == (expected != nil) else {
      throw Violation(
        description: "After \(situation): whether “\(key.text.prefix(40))” has an image is answered wrongly.")
    }
    let answers = [
      store.lookUp(key, extending: .renewed).value, store.image(for: key, extending: .unchanged),
      store.image(for: key),
    ]
    for found in answers where !isSame(found, as: expected) {
      throw Violation(
        description: "After \(situation): expected \(describe(expected)) under “\(key.text.prefix(40))”, "
          + "found \(describe(found)).")
    }
  }

  private static func isSame(_ found: DecodedImage?, as expected: DecodedImage?) -> Bool {
    guard let found, let expected else { return found == nil && expected == nil }
    return found.info == expected.info && pixels(of: found) == pixels(of: expected)
  }

  private static func pixels(of image: DecodedImage) -> Data { image.bitmap.withUnsafeBytes { Data($0) } }

  private static func describe(_ image: DecodedImage?) -> String {
    image.map { "\($0.byteCount) bytes with \($0.info)" } ?? "no image"
  }

  /// An image that is told from others by its pixels and by what is known about it.
  private static func image(_ number: Int, byteCount: Int = 1024) throws -> DecodedImage {
    let bitmap = try Bitmap(size: PixelSize(width: byteCount / 4, height: 1), isOpaque: false) { bytes in
      _ = bytes.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: number))
    }
    return DecodedImage(
      bitmap: bitmap, info: ImageInfo(format: .bmp, storedSize: PixelSize(width: number + 1, height: 1)))
  }
}
