import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonBackend

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

  private func redirect(_ status: Int, _ headers: HTTPHeaders) -> EntryMetadata.Redirect {
    EntryMetadata.Redirect(status: status, headers: headers, requestDate: date - 2, responseDate: date - 1)
  }

  @Test(arguments: [
    (302, "/b", true), (399, "/b", true), (200, "/b", false), (400, "/b", false), (302, "/b\nX: 1", false),
    (302, "\0", false),
  ])
  func `redirects that no server can have sent are not decoded`(status: Int, location: String, isDecoded: Bool) throws {
    var entry = shared(4)
    entry.entry.metadata.redirects = [redirect(302, ["Location": "/a"]), redirect(status, ["Location": location])]
    let value = try #require(entry.encoded(for: "key"))
    #expect(SharedEntry(decoding: value, for: "key") == (isDecoded ? entry : nil))
  }

  @Test(arguments: [
    (100, "a\tb", true), (999, "a", true), (99, "a", false), (1000, "a", false), (200, "a\nb", false),
    (200, "a\u{7F}", false),
  ])
  func `a response that no server can have sent is not decoded`(status: Int, value: String, isDecoded: Bool) throws {
    let field = HTTPHeaders.Field(name: "a", value: value)
    for change: (inout EntryMetadata) -> Void in [
      { $0.headers.add(name: field.name, value: field.value) }, { $0.variants = [VaryKey(fields: [field])] },
      { $0.variant = VaryKey(fields: [field]) },
    ] {
      var entry = shared(4)
      entry.entry.metadata.status = status
      change(&entry.entry.metadata)
      let data = try #require(entry.encoded(for: "key"))
      #expect(SharedEntry(decoding: data, for: "key") == (isDecoded ? entry : nil))
    }
  }

  @Test func `of a response whose header is too large only the fields that caching needs are kept`() throws {
    var entry = shared(4)
    entry.entry.metadata.headers["X-Large"] = String(repeating: "a", count: 70_000)
    let value = try #require(entry.encoded(for: "key"))
    #expect(SharedEntry(decoding: value, for: "key") == shared(4))
    entry.entry.metadata.tags = [String(repeating: "a", count: 70_000)]
    #expect(entry.encoded(for: "key") == nil)
  }

  /// Expirations, and whether they are over ten seconds after the entry was stored.
  @Test(
    arguments: [
      (nil, false), (.never, false), (.expired, true), (.after(.seconds(10)), true), (.after(.seconds(11)), false),
      (.date(Date(timeIntervalSince1970: 1_700_000_010)), true),
      (.date(Date(timeIntervalSince1970: 1_700_000_011)), false),
    ] as [(CacheExpiration?, Bool)])
  func `an entry expires at the end of its lifetime, which begins when it is stored`(
    expiration: CacheExpiration?, isExpired: Bool
  ) {
    var entry = shared(4)
    entry.entry.metadata.expiration = expiration
    #expect(entry.isExpired(at: date + 10) == isExpired)
  }

  @Test(arguments: [0, 1, 16_383, 16_384, 200_000])
  func `a decoded entry is the encoded one, also when the value is changed or released`(byteCount: Int) throws {
    let entry = shared(byteCount)
    var value = try #require(entry.encoded(for: "key"))
    var decoded = try #require(SharedEntry(decoding: value, for: "key"))
    let other = try #require(SharedEntry(decoding: Data([1, 2]) + value, for: "key") == nil ? decoded : nil)
    value.resetBytes(in: 0..<value.count)
    value = Data()
    #expect(decoded == entry)
    #expect(decoded.entry.body.startIndex == 0)
    decoded.entry.body.append(7)
    #expect(decoded.entry.body.dropLast() == entry.entry.body)
    #expect(other == entry)
  }

  @Test func `the format is that of the fixture`() throws {
    let advice: Comment = "The format has changed: bump SharedEntry.format, and see Fixtures/README.md."
    var metadata = EntryMetadata(
      url: URL(string: "https://cdn.example/a.jpg"), status: 203, headers: ["ETag": "\"ä\"", "Vary": "Accept"],
      requestDate: date, responseDate: date + 1, expiration: .date(date + 1e9), tags: ["trip"],
      userInfo: Data([0, 255]))
    metadata.redirects = [redirect(302, ["Location": "/ä", "Cache-Control": "max-age=9"])]
    let shared = SharedEntry(
      StoredEntry(body: Data("body".utf8), metadata: metadata), storedDate: date + 2,
      generations: SharedEntry.Generations(namespace: 1, source: .max))
    let value = try #require(shared.encoded(for: "|url=3:a:b|size=3:1x1"))
    let name = "Fixtures/shared-\(SharedEntry.format)"
    if ProcessInfo.processInfo.environment["HALCYON_WRITE_FIXTURES"] != nil {
      let target = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../\(name)").standardized
      return try value.write(to: target)
    }
    let kept = try Data(contentsOf: Bundle.module.bundleURL.appending(path: name))
    #expect(kept == value, advice)
    #expect(SharedEntry(decoding: kept, for: "|url=3:a:b|size=3:1x1") == shared, advice)
  }

  @Test func `a value of another format is told from a damaged one`() throws {
    let value = try #require(shared(40).encoded(for: "key"))
    #expect(SharedEntry.byteCount(beginning: value.prefix(64), for: "key") == value.count)
    for format in [SharedEntry.format - 1, SharedEntry.format + 1, 0, .max] {
      var other = value
      withUnsafeBytes(of: format.littleEndian) { other.replaceSubrange(4..<8, with: $0) }
      #expect(SharedEntry(decoding: other, for: "key") == nil)
      #expect(SharedEntry.miss(of: other) == .otherFormat)
      #expect(SharedEntry.miss(of: other.prefix(8)) == .otherFormat)
      #expect(SharedEntry.byteCount(beginning: other, for: "key") == nil)
    }
    for damaged in [Data(), Data(count: 100), value.prefix(7), value.dropFirst()] {
      #expect(SharedEntry.miss(of: damaged) == .damaged)
      #expect(SharedEntry.byteCount(beginning: damaged, for: "key") == nil)
    }
    #expect(SharedEntry.byteCount(beginning: value, for: "keys") == nil)
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
