import HalcyonHTTP
@_spi(Programs) import HalcyonCache
import Foundation
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct VaryKeyTests {
  @Test func `a variant matches requests with the same values, ignoring white space`() throws {
    let key = try #require(
      VaryKey(
        of: ["Vary": "Accept, accept-LANGUAGE"], requestHeaders: ["Accept": "image/avif,image/png", "X": "1"]))
    #expect(key.matches(["accept": "image/avif,  image/png"]))
    #expect(!key.matches(["Accept": "image/png"]))
    #expect(!key.matches(["Accept": "IMAGE/avif,image/png"]))
    #expect(!key.matches(["Accept": "image/avif,image/png", "Accept-Language": "de"]))
  }

  @Test func `languages are compared ignoring case`() throws {
    let key = try #require(VaryKey(of: ["Vary": "Accept-Language"], requestHeaders: ["Accept-Language": "en, de"]))
    #expect(key.matches(["Accept-Language": "EN,De"]))
    #expect(!key.matches(["Accept-Language": "de, en"]))
  }

  @Test func `Vary with an asterisk matches no request, and no Vary matches every request`() throws {
    #expect(VaryKey(of: ["Vary": "Accept, *"], requestHeaders: [:]) == nil)
    #expect(try #require(VaryKey(of: [:], requestHeaders: [:])).matches(["Accept": "x"]))
  }
}
