import HalcyonSupport
import HalcyonImaging
public import HalcyonCache
import Foundation

/// Conformance checks for `MemoryStore`, for any test framework.
///
/// ```swift
/// import HalcyonCache
///
/// try MemoryStoreLaws.check { MemoryCache() }  // a new, empty cache each time
/// ```
public enum MemoryStoreLaws {
  /// A law that a store breaks.
  public struct Violation: Error, CustomStringConvertible {
    /// What was expected and what was found.
    public let description: String
  }

  /// Checks all laws, except that calls return at once and may come from any thread.
  ///
  /// - Parameter makeStore: Returns an empty store with space for at least 512 KiB in 100 images. Called once for each
  ///   law. A limit above 1 MiB is lowered to 1 MiB by the checks that fill the store.
  /// - Throws: ``Violation`` for the first law that is broken; any error of `makeStore`.
  public static func check(_ makeStore: () throws -> any MemoryStore) throws {
    let laws = [
      returnsStoredImages, distinguishesKeys, replaces, removes, hidesExpiredImages, rejectsOversizedImages,
      respectsCostLimit, evictsWhenLimitIsLowered,
    ]
    for law in laws { try law(makeStore()) }
  }

  private static func returnsStoredImages(_ store: any MemoryStore) throws {
    try expect(store, "nothing was stored", "a", nil)
    for (number, byteCount) in [4, 400, 4096, 65_536].enumerated() {
      let key = CacheKey("image of \(byteCount) bytes")
      try insert(image(number, byteCount: byteCount), under: key, in: store)
      try expect(store, "an image was stored", key, image(number, byteCount: byteCount))
      try expect(store, "it was read", key, image(number, byteCount: byteCount))
    }
  }

  private static func distinguishesKeys(_ store: any MemoryStore) throws {
    let texts = DataStoreLaws.keyTexts
    for (number, text) in texts.enumerated() { try insert(image(number), under: CacheKey(text), in: store) }
    for (number, text) in texts.enumerated() {
      // Canonically equivalent texts are equal strings in Swift but different keys; a store may treat them as either.
      if texts.firstIndex(of: text) != texts.lastIndex(of: text) { continue }
      try expect(store, "many images were stored", CacheKey(text), image(number))
    }
  }

  private static func replaces(_ store: any MemoryStore) throws {
    for round in 1...20 {
      try insert(image(round, byteCount: 40_000 / round), under: "a", in: store)
      try expect(store, "\(round) images were stored", "a", image(round, byteCount: 40_000 / round))
    }
  }

  private static func removes(_ store: any MemoryStore) throws {
    for key in ["a", "b", "c"] as [CacheKey] { try insert(image(1), under: key, in: store) }
    store.removeImage(for: "a")
    store.removeImage(for: "missing")
    try expect(store, "an image was removed", "a", nil)
    try expect(store, "another image was removed", "b", image(1))
    try insert(image(2), under: "a", in: store)
    try expect(store, "an image was stored again", "a", image(2))
    store.removeAll()
    for key in ["a", "b", "c"] as [CacheKey] { try expect(store, "all images were removed", key, nil) }
  }

  private static func hidesExpiredImages(_ store: any MemoryStore) throws {
    for expiration in [CacheExpiration.expired, .date(.distantPast)] {
      try insert(image(1), under: "a", in: store)
      store.store(try image(2), for: "a", expiration: expiration)
      try expect(store, "an expired image was stored", "a", nil)
    }
  }

  private static func rejectsOversizedImages(_ store: any MemoryStore) throws {
    try insert(image(1), under: "a", in: store)
    let tooLarge = try image(2, byteCount: lowerLimit(of: store) + 4)
    for key in ["a", "b"] as [CacheKey] {
      let isStored = store.store(tooLarge, for: key, expiration: .never)
      try require(!isStored, "store(_:for:expiration:) returns true for an image over the cost limit.")
      try expect(store, "an image over the cost limit was rejected", key, nil)
    }
  }

  private static func respectsCostLimit(_ store: any MemoryStore) throws {
    _ = try lowerLimit(of: store)
    let keys = (0..<60).map { CacheKey("\($0)") }
    for step in 0..<180 {
      let key = keys[step % keys.count]
      let isStored = store.store(
        try image(step, byteCount: 4 + step * 7919 % 65_536), for: key, expiration: .never)
      try require(
        store.contains(key) == isStored,
        "store(_:for:expiration:) returned \(isStored), but contains(_:) is \(!isStored).")
      try expectWithinLimit(store, keys)
    }
  }

  private static func evictsWhenLimitIsLowered(_ store: any MemoryStore) throws {
    let keys = (0..<40).map { CacheKey("\($0)") }
    for (number, key) in keys.enumerated() { try insert(image(number, byteCount: 8192), under: key, in: store) }
    for limit in [250_000, 100_000, 10_000, 0] {
      try setLimit(limit, of: store)
      try expectWithinLimit(store, keys)
    }
  }

  /// Lowers the limit to 1 MiB if it is above, so that a check can fill the store, and returns the limit in force.
  private static func lowerLimit(of store: any MemoryStore) throws -> Int {
    let limit = min(store.configuration.costLimit, 1 << 20)
    try setLimit(limit, of: store)
    return limit
  }

  private static func setLimit(_ costLimit: Int, of store: any MemoryStore) throws {
    store.configuration.costLimit = costLimit
    let found = store.configuration.costLimit
    try require(found == costLimit, "The cost limit was set to \(costLimit) bytes, but reads as \(found).")
  }

  /// Sums the costs of all images; none is retained, since a store may find an evicted image that is still in use.
  private static func expectWithinLimit(_ store: any MemoryStore, _ keys: [CacheKey]) throws {
    let limit = store.configuration.costLimit
    let cost = keys.reduce(0) { $0 + (store.image(for: $1)?.byteCount ?? 0) }
    try require(cost <= limit, "The store holds images of \(cost) bytes, over its cost limit of \(limit) bytes.")
  }

  /// Stores an image that fits.
  private static func insert(_ image: DecodedImage, under key: CacheKey, in store: any MemoryStore) throws {
    let isStored = store.store(image, for: key, expiration: .never)
    try require(isStored, "An image of \(image.byteCount) bytes was not stored, although it fits.")
  }

  private static func expect(
    _ store: any MemoryStore, _ situation: String, _ key: CacheKey, _ expected: DecodedImage?
  ) throws {
    let name = "“\(key.text.prefix(40))”"
    try require(
      store.contains(key) == (expected != nil), "After \(situation): contains(\(name)) is \(expected == nil).")
    let found = store.image(for: key)
    try require(
      isSame(found, as: expected),
      "After \(situation): expected \(describe(expected)) under \(name), found \(describe(found)).")
  }

  private static func require(_ isKept: Bool, _ description: @autoclosure () -> String) throws {
    if !isKept { throw Violation(description: description()) }
  }

  private static func isSame(_ found: DecodedImage?, as expected: DecodedImage?) -> Bool {
    guard let found, let expected else { return found == nil && expected == nil }
    return found.info == expected.info && pixels(of: found) == pixels(of: expected)
  }

  private static func pixels(of image: DecodedImage) -> Data { image.bitmap.withUnsafeBytes { Data($0) } }

  private static func describe(_ image: DecodedImage?) -> String {
    image.map { "\($0.byteCount) bytes with \($0.info)" } ?? "no image"
  }

  /// An image whose pixels and info depend on `number`.
  private static func image(_ number: Int, byteCount: Int = 1024) throws -> DecodedImage {
    let bitmap = try Bitmap(size: PixelSize(width: byteCount / 4, height: 1), isOpaque: false) { bytes in
      _ = bytes.initializeMemory(as: UInt8.self, repeating: UInt8(truncatingIfNeeded: number))
    }
    return DecodedImage(
      bitmap: bitmap, info: ImageInfo(format: .bmp, storedSize: PixelSize(width: number + 1, height: 1)))
  }
}
