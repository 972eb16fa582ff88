import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonImaging
@testable import HalcyonHTTP
@testable import HalcyonCache

@Suite(.unitTest)
struct EntryCodingTests {
  @Test(
    arguments: [
      nil, .never, .expired, .after(.seconds(300)), .after(.seconds(300), since: .storing),
      .date(Date(timeIntervalSince1970: 9)),
    ] as [CacheExpiration?])
  func `metadata survives encoding and decoding`(expiration: CacheExpiration?) throws {
    var metadata = EntryMetadata.example
    metadata.expiration = expiration
    #expect(EntryMetadata(decoding: metadata.encoded) == metadata)
    metadata.url = nil
    metadata.tags = []
    #expect(EntryMetadata(decoding: metadata.encoded) == metadata)
  }

  /// Metadata with each field that may be absent, alone and with all others.
  private func examples() throws -> [EntryMetadata] {
    let date = Date(timeIntervalSince1970: 5)
    let bitmap = try Bitmap(size: PixelSize(width: 4, height: 4), isOpaque: true) { _ in }
    let key = try #require(VaryKey(of: ["Vary": "Accept, X"], requestHeaders: ["Accept": "image/png"]))
    let changes: [(inout EntryMetadata) -> Void] = [
      { $0.variant = key }, { $0.variants = [key, key] }, { $0.placeholder = ThumbHash(bitmap) },
      { $0.userInfo = Data() }, { $0.userInfo = Data("mine".utf8) },
      {
        $0.redirects = [301, 302].map { status in
          EntryMetadata.Redirect(
            status: status, headers: ["Location": "/ä", "Vary": "\(status)"], requestDate: date, responseDate: date + 1)
        }
      }, { $0.original = OriginalMark(received: date, hash: .max) },
    ]
    var (examples, all) = ([EntryMetadata.example], EntryMetadata.example)
    for change in changes {
      examples.append(.example)
      change(&examples[examples.count - 1])
      change(&all)
    }
    return examples + [all]
  }

  @Test func `every field survives encoding, and a truncated or longer encoding is not decoded`() throws {
    for metadata in try examples() {
      let bytes = metadata.encoded
      #expect(EntryMetadata(decoding: bytes) == metadata)
      #expect(EntryMetadata(decoding: bytes + [0]) == nil)
      #expect(bytes.indices.allSatisfy { EntryMetadata(decoding: bytes.prefix($0)) == nil })
    }
  }

  @Test func `text outside ASCII survives encoding, and text that is not UTF-8 is not decoded`() throws {
    var metadata = EntryMetadata.example
    metadata.tags = ["", "zebra", "Grüße 🦓"]
    let bytes = metadata.encoded
    #expect(EntryMetadata(decoding: bytes) == metadata)
    let umlaut = try #require(bytes.firstRange(of: Array("ü".utf8)))
    var damaged = bytes
    damaged[umlaut.lowerBound + 1] = UInt8(ascii: "u")
    #expect(EntryMetadata(decoding: damaged) == nil)
  }
}
