import Foundation
import HalcyonCache
import HalcyonSupport
import TestTraits
import Testing

@Suite(.integrationTest)
struct SharedEntryTests {
  private let date = Date(timeIntervalSince1970: 1_700_000_000)

  private func shared(_ byteCount: Int) -> SharedEntry {
    let body = Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let metadata = EntryMetadata(headers: ["ETag": "\"1\""], requestDate: date, responseDate: date)
    return SharedEntry(
      StoredEntry(body: body, metadata: metadata), storedDate: date,
      generations: SharedEntry.Generations(namespace: 1, source: 2))
  }

  @Test(arguments: [0, 1, 16_383, 16_384, 200_000])
  func `a decoded entry is the encoded one, also when the value is changed or released`(byteCount: Int) throws {
    let entry = shared(byteCount)
    var value = try #require(entry.encoded(for: "key"))
    var decoded = try #require(SharedEntry(decoding: value, for: "key"))
    let other = try #require(SharedEntry(decoding: Data([1, 2]) + value, for: "key") == nil ? decoded : nil)
    value.resetBytes(in: 0..<value.count)
    value = Data()
    #expect(decoded == entry && decoded.entry.body.startIndex == 0)
    decoded.entry.body.append(7)
    #expect(decoded.entry.body.dropLast() == entry.entry.body && other == entry)
  }

  @Test func `a value that is a slice is decoded`() throws {
    for byteCount in [100, 100_000] {
      let entry = shared(byteCount)
      let value = Data([1, 2, 3]) + (try #require(entry.encoded(for: "key")))
      #expect(SharedEntry(decoding: value.dropFirst(3), for: "key") == entry)
    }
  }

  @Test func `a value with a damaged byte, a missing one or another key is none`() throws {
    let value = try #require(shared(40).encoded(for: "key"))
    for index in value.indices {
      var damaged = value
      damaged[index] ^= 0x41
      #expect(SharedEntry(decoding: damaged, for: "key") == nil, "byte \(index)")
      #expect(SharedEntry(decoding: value.prefix(index), for: "key") == nil)
    }
    for key in ["kez", "ke", "keys", ""] { #expect(SharedEntry(decoding: value, for: CacheKey(key)) == nil) }
  }
}
