import Foundation
import HalcyonService
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct URLSignerTests {
  /// The example of imgproxy's documentation: the key `secret` and the salt `hello`.
  private let documented = URLSigner.KeyPair(key: Data("secret".utf8), salt: Data("hello".utf8))
  private let path = "/fill/300/400/sm/0/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png"
  private let signature = "AfrOrF3gWeDA6VOlDG4TzxMv39O7MXnF4CXpKUwGqRM"

  @Test func `the documented example of imgproxy is signed alike`() {
    let signer = URLSigner(pairs: [documented])
    #expect(signer.signature(of: path) == signature)
    // With and without padding.
    for text in [signature, signature + "="] { #expect(signer.isValid(text, for: path)) }
  }

  @Test func `a changed path, signature or key is refused`() {
    let signer = URLSigner(pairs: [documented])
    #expect(!signer.isValid(signature, for: path + "x"))
    for text in ["", "_", "insecure", "AfrOrF3gWeDA6VOlDG4TzxMv39O7MXnF4CXpKUwGqRN", signature + "AA", "***"] {
      #expect(!signer.isValid(text, for: path))
    }
    let other = URLSigner(pairs: [URLSigner.KeyPair(key: Data("other".utf8), salt: Data("hello".utf8))])
    #expect(!other.isValid(signature, for: path))
  }

  @Test func `each of several pairs is accepted, and the first one signs`() throws {
    let new = URLSigner.KeyPair(key: Data("new".utf8), salt: Data("salt".utf8))
    let signer = URLSigner(pairs: [new, documented])
    let first = try #require(signer.signature(of: path))
    #expect(first == URLSigner(pairs: [new]).signature(of: path))
    for signature in [first, signature] { #expect(signer.isValid(signature, for: path)) }
  }

  @Test func `a shorter signature is the start of the full one, and only its length is accepted`() throws {
    let signer = URLSigner(pairs: [documented], byteCount: 12)
    let short = try #require(signer.signature(of: path))
    #expect(signature.hasPrefix(short) && short.count == 16)
    #expect(signer.isValid(short, for: path))
    #expect(!signer.isValid(signature, for: path))
    // At least eight bytes, and at most all.
    for (byteCount, count) in [(-1, 11), (7, 11), (9, 12), (99, 43)] {
      #expect(URLSigner(pairs: [documented], byteCount: byteCount).signature(of: path)?.count == count)
    }
  }

  @Test func `without a pair nothing is valid`() {
    #expect(!URLSigner(pairs: []).isValid(signature, for: path))
  }
}
