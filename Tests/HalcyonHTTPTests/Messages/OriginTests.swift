import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonHTTP

@Suite(.unitTest)
struct OriginTests {
  private func origin(_ text: String) -> Origin? { URL(string: text).flatMap { Origin($0) } }

  @Test(arguments: [
    ("http://example.com/a", "http://example.com:80/b?c"), ("https://example.com", "https://example.com:443/"),
    ("http://example.com", "HTTP://EXAMPLE.COM"), ("http://example.com", "http://ann:secret@example.com"),
  ])
  func `the origin is the scheme, the host and the port, in any notation`(one: String, other: String) {
    #expect(origin(one) != nil)
    #expect(origin(one) == origin(other))
  }

  @Test(arguments: [
    "https://example.com", "http://example.com:8080", "http://www.example.com", "http://example.com:443",
  ])
  func `another scheme, host or port is another origin`(other: String) {
    #expect(origin(other) != nil && origin(other) != origin("http://example.com"))
  }

  @Test(arguments: ["ftp://example.com", "file:///a", "data:,a", "http://", "/a", "http:///a"])
  func `only web URLs with a host have an origin`(text: String) {
    #expect(origin(text) == nil)
  }
}
