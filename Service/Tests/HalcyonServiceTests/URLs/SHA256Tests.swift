import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonService

@Suite(.unitTest)
struct SHA256Tests {
  private func hexadecimal(_ data: Data) -> String {
    data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
  ])
  func `the hash is that of the standard`(text: String, hash: String) {
    #expect(hexadecimal(SHA256.hash(Data(text.utf8))) == hash)
    #expect(hexadecimal(SHA256.hash(Data(("x" + text).utf8).dropFirst())) == hash, "a slice")
  }

  /// The cases 2 and 6 of RFC 4231, and a message of no bytes under no key.
  @Test(arguments: [
    (
      Data("Jefe".utf8), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      Data(repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
    (Data(), "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
  ])
  func `the code of a message is that of the standard`(key: Data, message: String, code: String) {
    #expect(hexadecimal(SHA256.authenticationCode(of: Data(message.utf8), key: key)) == code)
  }
}
