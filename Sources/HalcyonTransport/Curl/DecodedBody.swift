#if canImport(CHalcyonCurlShim)
import Foundation
import HalcyonHTTP
import HalcyonSupport

/// A body with a `Content-Encoding`, decompressed as far as it is read.
///
/// libcurl's own decompression is not used: it expands all that has been received at once, on the thread of all
/// transfers, and a few kilobytes may expand to gigabytes. Here the reader decompresses, and a reader that stops at its
/// byte limit leaves the rest compressed.
final class DecodedBody: BodySource {
  /// The value of `Accept-Encoding`.
  static let acceptedEncodings = "gzip, deflate"

  /// The registered content codings (RFC 9110, 16.6.1) except `identity`. Servers also send other tokens, such as
  /// `UTF-8` or `none`, which browsers ignore.
  private static let registered: Set<String> = [
    "aes128gcm", "br", "compress", "dcb", "dcz", "deflate", "exi", "gzip", "pack200-gzip", "x-compress", "x-gzip",
    "zstd",
  ]
  /// Each coding may expand the one before a thousandfold. Two occur when a server and its proxy both compress.
  private static let codingLimit = 2

  /// The codings in a value of `Content-Encoding`, without other tokens.
  static func codings(in value: String) -> [String] {
    let tokens = value.utf8.split(separator: UInt8(ascii: ",")).map { token in
      String(decoding: token.filter { $0 > 0x20 }, as: UTF8.self).lowercased()
    }
    let codings = tokens.filter(registered.contains)
    return codings.count > codingLimit ? [codings.joined(separator: ", ")] : codings
  }

  private let source: any BodySource
  private let encoding: String
  private let declaredByteCount: Int?
  /// `nil` if the encoding is not supported.
  private let inflater: Lock<Inflater?>

  /// - Parameters:
  ///   - encoding: One of ``codings(in:)``.
  ///   - declaredByteCount: The `Content-Length`. Some servers declare the length of the decompressed file, so that bytes
  ///     seem to be missing.
  init(_ source: any BodySource, encoding: String, declaredByteCount: Int? = nil) {
    self.source = source
    self.encoding = encoding
    self.declaredByteCount = declaredByteCount
    inflater = Lock(["gzip", "x-gzip", "deflate"].contains(encoding.lowercased()) ? Inflater() : nil)
  }

  var timings: TransportTimings? { source.timings }

  func next() async throws -> Data? {
    while !Task.isCancelled {
      let (piece, hasEnded) = try inflater.withLock { inflater throws(TransportError) in
        (try inflater?.next(), inflater?.hasEnded(atByteCount: declaredByteCount) == true)
      }
      if piece != nil || hasEnded { return piece }
      guard let bytes = try await compressedBytes() else { return nil }
      try add(bytes)
    }
    throw TransportError.cancelled
  }

  /// The next bytes of the source. If the declared length is that of the decompressed file, no bytes are missing at its
  /// end.
  private func compressedBytes() async throws -> Data? {
    do {
      return try await source.next()
    } catch let error as TransportError {
      let isWhole = inflater.withLock { $0?.hasEnded(atByteCount: declaredByteCount) == true }
      guard error.isMissingEnd, isWhole else { throw error }
      return nil
    }
  }

  private func add(_ bytes: Data) throws(TransportError) {
    let isSupported = inflater.withLock { inflater in
      inflater?.add(bytes)
      return inflater != nil
    }
    guard isSupported else {
      throw .badContentEncoding(reason: "only gzip or deflate is accepted as Content-Encoding, not “\(encoding)”")
    }
  }
}

extension TransportError {
  /// Whether more bytes were expected, and none came.
  fileprivate var isMissingEnd: Bool {
    switch self {
    case .connectionLost, .idleTimedOut: true
    default: false
    }
  }
}
#endif
