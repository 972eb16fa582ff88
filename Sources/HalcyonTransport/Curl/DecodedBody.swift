#if canImport(CurlShim)
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

  private let source: any BodySource
  private let encoding: String
  /// `nil` if the encoding is not supported.
  private let inflater: Lock<Inflater?>

  /// - Parameter encoding: The value of `Content-Encoding`. Several encodings at once are not supported: each would
  ///   expand the one before a thousandfold.
  init(_ source: any BodySource, encoding: String) {
    self.source = source
    self.encoding = encoding
    inflater = Lock(["gzip", "x-gzip", "deflate"].contains(encoding.lowercased()) ? Inflater() : nil)
  }

  var timings: TransportTimings? { source.timings }

  func next() async throws -> Data? {
    while !Task.isCancelled {
      let (piece, hasEnded) = try inflater.withLock { inflater throws(TransportError) in
        (try inflater?.next(), inflater?.hasEnded == true)
      }
      if piece != nil || hasEnded { return piece }
      guard let bytes = try await source.next() else { return nil }
      try add(bytes)
    }
    throw TransportError.cancelled
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
#endif
