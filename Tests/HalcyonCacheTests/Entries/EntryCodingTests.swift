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

  @Test func `variants survive encoding, and metadata written before variants existed is decoded`() throws {
    let key = try #require(VaryKey(of: ["Vary": "Accept, X"], requestHeaders: ["Accept": "image/png"]))
    let other = try #require(VaryKey(of: ["Vary": "Y"], requestHeaders: [:]))
    let plain = EntryMetadata.example
    for (variant, variants) in [(key, [other, key]), (nil, [other]), (key, [])] {
      var metadata = plain
      metadata.variant = variant
      metadata.variants = variants
      #expect(EntryMetadata(decoding: metadata.encoded) == metadata)
      #expect(EntryMetadata(decoding: metadata.encoded.prefix(plain.encoded.count)) == plain)
      #expect(EntryMetadata(decoding: metadata.encoded.dropLast()) == nil)
    }
  }

  @Test func `a placeholder survives encoding, with and without variants`() throws {
    let bitmap = try Bitmap(size: PixelSize(width: 4, height: 4), isOpaque: true) { _ in }
    let key = try #require(VaryKey(of: ["Vary": "Accept"], requestHeaders: ["Accept": "image/png"]))
    for variants in [[], [key]] {
      var metadata = EntryMetadata.example
      metadata.variants = variants
      metadata.placeholder = ThumbHash(bitmap)
      #expect(EntryMetadata(decoding: metadata.encoded) == metadata)
      #expect(EntryMetadata(decoding: metadata.encoded.dropLast()) == nil)
    }
  }

  @Test(arguments: [Data(), Data("mine".utf8)])
  func `user info survives encoding, with and without a placeholder`(bytes: Data) throws {
    let bitmap = try Bitmap(size: PixelSize(width: 4, height: 4), isOpaque: true) { _ in }
    for placeholder in [nil, ThumbHash(bitmap)] {
      var metadata = EntryMetadata.example
      (metadata.placeholder, metadata.userInfo) = (placeholder, bytes)
      #expect(EntryMetadata(decoding: metadata.encoded) == metadata)
      #expect(EntryMetadata(decoding: metadata.encoded.dropLast()) == nil)
    }
  }

  @Test(arguments: [nil, Data(), Data("mine".utf8)] as [Data?])
  func `redirects survive encoding, with and without user info`(userInfo: Data?) throws {
    let date = Date(timeIntervalSince1970: 5)
    var metadata = EntryMetadata.example
    metadata.userInfo = userInfo
    let plain = metadata
    metadata.redirects = [301, 302].map { status in
      EntryMetadata.Redirect(
        status: status, headers: ["Location": "/ä", "Vary": "\(status)"], requestDate: date, responseDate: date + 1)
    }
    #expect(EntryMetadata(decoding: metadata.encoded) == metadata)
    #expect(EntryMetadata(decoding: metadata.encoded.dropLast()) == nil)
    if userInfo != nil { #expect(EntryMetadata(decoding: metadata.encoded.prefix(plain.encoded.count)) == plain) }
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

  @Test func `a truncated encoding is not decoded`() {
    let bytes = EntryMetadata.example.encoded
    for count in bytes.indices { #expect(EntryMetadata(decoding: bytes.prefix(count)) == nil) }
  }
}
