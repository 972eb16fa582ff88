import HalcyonHTTP
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct IPAddressTests {
  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("2001:DB8::A", "2001:db8::a"), ("::ffff:1.2.3.4", "::ffff:1.2.3.4"),
  ])
  func `an address has its canonical description`(text: String, expected: String) {
    #expect(IPAddress(text)?.description == expected)
  }

  @Test(arguments: [
    "", "1", "2130706433", "0x7f.1", "0177.0.0.1", "127.1", "127.0.0.1.", "1.2.3.256", "[::1]", "fe80::1%eth0",
    "example.com", " 127.0.0.1",
  ])
  func `anything but four decimal parts or plain IPv6 is not a valid address`(text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.1.2.3/8", "10.9.9.9", true),
    ("0.0.0.0/0", "255.255.255.255", true), ("0.0.0.0/0", "::1", false), ("::/0", "ffff::", true),
    ("1.2.3.4", "1.2.3.4", true), ("1.2.3.4", "1.2.3.5", false), ("fc00::/7", "fdff::1", true),
    ("2001:db8::/33", "2001:db8:8000::", false), ("::1/128", "::1", true),
  ])
  func `a range contains the addresses with the same prefix`(text: String, address: String, isInside: Bool) throws {
    let address = try #require(IPAddress(address))
    #expect(try #require(AddressRange(text)).contains(address) == isInside)
  }

  @Test(arguments: ["10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "/8", "10/8", "::/129", "a/8", "10.0.0.0/8/8", ""])
  func `an invalid range is not parsed`(text: String) {
    #expect(AddressRange(text) == nil)
  }
}
