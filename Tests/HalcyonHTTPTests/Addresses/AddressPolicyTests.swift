import HalcyonHTTP
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct AddressPolicyTests {
  private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

  private func range(_ text: String) throws -> AddressRange { try #require(AddressRange(text)) }

  @Test(arguments: [
    "0.0.0.0", "0.1.2.3", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.100.100.200", "100.127.255.255",
    "127.0.0.1", "127.255.255.255", "168.63.129.16", "169.254.0.1", "169.254.169.254", "169.254.170.2", "172.16.0.0",
    "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.0", "192.168.255.255", "198.18.0.1",
    "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "::", "::1", "fe80::1", "febf::1", "fec0::1", "fc00::1", "fdff::1", "fd00:ec2::254", "ff02::1", "2001:db8::1",
    "3fff::1", "2001:2::1", "2001:10::1", "100::1", "4000::1",
  ])
  func `addresses outside the public Internet are refused`(text: String) throws {
    let address = try address(text)
    #expect(AddressPolicy.publicInternetOnly.refusal(of: address, port: 443) != nil)
    #expect(AddressPolicy.any.refusal(of: address, port: 443) == nil)
  }

  @Test(arguments: [
    "::ffff:8.8.8.8", "::8.8.8.8", "2002:808:808::1", "64:ff9b::8.8.8.8", "64:ff9b:1::8.8.8.8",
    "2001:0:4136:e378:8000:63bf:f7f7:f7f7", "::ffff:0:8.8.8.8", "fe80::5efe:8.8.8.8", "2600::5efe:8.8.8.8",
    "2600::200:5efe:8.8.8.8",
  ])
  func `IPv4 embedded in IPv6 is found in every form, and refused even if it is public`(text: String) throws {
    let address = try address(text)
    #expect(address.embeddedIPv4 == IPAddress("8.8.8.8"))
    #expect(AddressPolicy.publicInternetOnly.refusal(of: address, port: 443) != nil)
  }

  @Test(arguments: [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
    "168.63.129.15", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255",
    "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2600::1", "2001:200::1", "2001:4860:4860::8888",
    "2003::1", "2a00:1450:4001::1",
  ])
  func `public addresses are allowed`(text: String) throws {
    let address = try address(text)
    #expect(AddressPolicy.publicInternetOnly.refusal(of: address, port: 443) == nil)
    #expect(address.embeddedIPv4 == nil)
  }

  @Test func `allowed ranges pass in every scope, denied ranges never pass`() throws {
    var policy = AddressPolicy.publicInternetOnly
    policy.allowed = [try range("10.0.0.0/8")]
    policy.denied = [try range("10.9.0.0/16"), try range("8.8.8.0/24")]
    #expect(try policy.refusal(of: address("10.1.2.3"), port: 80) == nil)
    #expect(try policy.refusal(of: address("10.9.2.3"), port: 80) == "10.9.2.3 is in the denied range 10.9.0.0/16")
    #expect(try policy.refusal(of: address("8.8.8.8"), port: 80) != nil)
    #expect(try policy.refusal(of: address("::ffff:8.8.8.8"), port: 80) != nil)
    let listed = AddressPolicy(scope: .listed, allowed: [try range("192.0.2.7")])
    #expect(try listed.refusal(of: address("192.0.2.7"), port: 80) == nil)
    #expect(try listed.refusal(of: address("192.0.2.8"), port: 80) == "192.0.2.8 is in no allowed range")
  }

  @Test func `the IPv4 address embedded in an IPv6 address must pass, too`() throws {
    let policy = AddressPolicy(scope: .publicInternet, allowed: [try range("64:ff9b::/96")])
    #expect(try policy.refusal(of: address("64:ff9b::8.8.8.8"), port: 80) == nil)
    #expect(try policy.refusal(of: address("64:ff9b::10.0.0.1"), port: 80) == "10.0.0.1 is private")
    let denying = AddressPolicy(denied: [try range("127.0.0.0/8")])
    #expect(try denying.refusal(of: address("::ffff:127.0.0.1"), port: 80) != nil)
    #expect(try denying.refusal(of: address("2000::5efe:127.0.0.1"), port: 80) != nil)
  }

  @Test func `only listed ports are allowed`() throws {
    let policy = AddressPolicy(ports: [443, 80])
    #expect(try policy.refusal(of: address("8.8.8.8"), port: 443) == nil)
    #expect(try policy.refusal(of: address("8.8.8.8"), port: 22) == "port 22 is not one of 80, 443")
  }
}
