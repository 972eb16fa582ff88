#if !URLSESSION
import Foundation
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonTransport

@Suite(.unitTest)
struct InflaterTests {
  /// The decompressed bytes of pieces.
  private func inflated(_ pieces: [Data]) throws -> Data {
    let inflater = Inflater()
    var result = Data()
    for piece in pieces {
      inflater.add(piece)
      while let bytes = try inflater.next() { result += bytes }
    }
    return result
  }

  @Test func `raw deflate data is recognized, also where it begins like a zlib header`() throws {
    // Two stored blocks; the padding of the first one looks like the method of zlib, and only its check bits do not.
    let raw = Data([0x08, 1, 0, 0xFE, 0xFF, 65, 0x01, 1, 0, 0xFE, 0xFF, 66])
    #expect(try inflated([raw]) == Data("AB".utf8))
  }

  @Test(arguments: [Data.DeflateFormat.gzip, .zlib, .raw])
  func `bytes may arrive one at a time`(format: Data.DeflateFormat) throws {
    let body = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    #expect(try inflated(body.deflated(format).map { Data([$0]) }) == body)
  }
}
#endif
