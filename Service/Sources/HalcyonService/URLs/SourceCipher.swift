import Foundation

#if canImport(CommonCrypto)
import CommonCrypto
#else
import CHalcyonCrypto
#endif

/// The cipher of encrypted sources, as imgproxy's clients make them: AES in CBC mode with the padding of PKCS #7, by the
/// library of the system.
enum SourceCipher {
  /// The lengths of keys, for AES-128, AES-192 and AES-256.
  static let keyByteCounts = [16, 24, 32]
  private static let blockByteCount = 16

  /// The text that an initialisation vector and the encrypted bytes after it stand for; `nil`, whatever the reason, for
  /// others.
  static func text(_ bytes: Data, key: Data) -> String? {
    guard keyByteCounts.contains(key.count), bytes.count >= 2 * blockByteCount, bytes.count % blockByteCount == 0,
      let decrypted = decrypted(Array(bytes.dropFirst(blockByteCount)), Array(key), Array(bytes.prefix(blockByteCount)))
    else { return nil }
    return String(validating: decrypted, as: UTF8.self)
  }

  private static func decrypted(_ bytes: [UInt8], _ key: [UInt8], _ vector: [UInt8]) -> ArraySlice<UInt8>? {
    var result = [UInt8](repeating: 0, count: bytes.count + blockByteCount)
    #if canImport(CommonCrypto)
    var count = 0
    let status = CCCrypt(
      CCOperation(kCCDecrypt), CCAlgorithm(kCCAlgorithmAES), CCOptions(kCCOptionPKCS7Padding), key, key.count, vector,
      bytes, bytes.count, &result, result.count, &count)
    return status == kCCSuccess ? result[..<count] : nil
    #else
    guard let context = EVP_CIPHER_CTX_new() else { return nil }
    defer { EVP_CIPHER_CTX_free(context) }
    let cipher = [16: EVP_aes_128_cbc(), 24: EVP_aes_192_cbc()][key.count] ?? EVP_aes_256_cbc()
    var (count, rest) = (Int32(0), Int32(0))
    guard EVP_DecryptInit_ex(context, cipher, nil, key, vector) == 1,
      EVP_DecryptUpdate(context, &result, &count, bytes, Int32(bytes.count)) == 1,
      result.withUnsafeMutableBufferPointer({ buffer in
        EVP_DecryptFinal_ex(context, buffer.baseAddress.map { $0 + Int(count) }, &rest)
      }) == 1
    else { return nil }
    return result[..<Int(count + rest)]
    #endif
  }
}
