import Foundation

#if canImport(CryptoKit)
import CryptoKit
#else
import CHalcyonCrypto
#endif

/// SHA-256 by the library of the system, and the authentication code that is made with it.
enum SHA256 {
  private static let blockByteCount = 64

  /// The 32 bytes of the hash of all parts together.
  static func hash(_ parts: Data...) -> Data {
    #if canImport(CryptoKit)
    var hash = CryptoKit.SHA256()
    for part in parts { hash.update(data: part) }
    return Data(hash.finalize())
    #else
    var (context, bytes) = (SHA256_CTX(), [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH)))
    SHA256_Init(&context)
    for part in parts { part.withUnsafeBytes { _ = SHA256_Update(&context, $0.baseAddress, $0.count) } }
    SHA256_Final(&bytes, &context)
    return Data(bytes)
    #endif
  }

  /// The 32 bytes of the code of a message under a key of any length (HMAC, RFC 2104).
  static func authenticationCode(of message: Data, key: Data) -> Data {
    let short = key.count > blockByteCount ? hash(key) : key
    let padded = short + Data(count: blockByteCount - short.count)
    return hash(Data(padded.map { $0 ^ 0x5c }), hash(Data(padded.map { $0 ^ 0x36 }), message))
  }
}
