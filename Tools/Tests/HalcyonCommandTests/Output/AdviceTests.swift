import Foundation
import Halcyon
import HalcyonCache
import HalcyonCodecs
import HalcyonHTTP
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCommand

@Suite(.unitTest)
struct AdviceTests {
  private static let size = PixelSize(width: 3, height: 2)

  private static func errors() throws -> [any Error] {
    let url = try #require(URL(string: "http://host/path.jpg"))
    let transport: [TransportError] = [
      .hostNotFound("host"), .connectionFailed(host: "host", reason: "refused"), .connectTimedOut(.seconds(1)),
      .idleTimedOut(.seconds(1)), .totalTimedOut(.seconds(1)), .connectionLost(received: 1, expected: nil),
      .secureConnectionFailed(host: "host", reason: "self-signed"), .headersTooLarge(byteLimit: 9),
      .malformedResponse(reason: "no status"), .badContentEncoding(reason: "cut"), .failed(reason: "broken"),
    ]
    let decoding: [ImageDecodingError] = [
      .unknownFormat, .unsupportedFormat(.jpegXL), .unsupportedFormat(.custom("qoi")),
      .unsupportedFeature(.tiff, feature: "tiles"), .corrupt(.png, reason: "wrong"), .truncated(.gif),
      .tooManyPixels(size, limit: 5), .sideTooLong(size, limit: 2), .tooManyBytes(9, limit: 8), .outOfMemory(size),
    ]
    let encoding: [ImageEncodingError] = [
      .unsupportedFormat(.avif), .unsupportedFormat(.heic), .tooLarge(.webp, size),
      .overByteLimit(.jpeg, byteCount: 9, byteLimit: 8), .metadataNotSupported(.gif), .failed(.png, reason: "wrong"),
    ]
    let disk: [DiskCacheError] = [
      .system(call: "open", path: "/path", code: ENOSPC), .index(reason: "locked"), .damagedIndex(path: "/path"),
      .newerFormat(path: "/path", format: 9), .busy(path: "/path"), .entryTooLarge(byteCount: 9, sizeLimit: 8),
      .metadataTooLarge(byteCount: 9, limit: 8), .insufficientSpace(byteCount: 9, sizeLimit: 8),
    ]
    let loads: [ImageError] = [
      .invalidURL("./path"), .invalidURL("path"), .unsupportedScheme("ftp", url: url), .httpStatus(404, url: url),
      .retryLater(after: .seconds(9), status: 503, url: url), .tooManyRedirects(limit: 9, url: url),
      .redirectRejected(to: "ftp://host", from: url), .emptyResponse(url: url),
      .responseTooLarge(byteLimit: 9, url: url),
      .notAnImage(contentType: nil, url: url), .unreadableFile(path: "/path", code: EACCES),
      .invalidDataURL(reason: "short"), .timedOut(.seconds(1), url: url), .tooManyWaiting(limit: 9, url: url),
      .notCached(key: "http://host/path.jpg"),
    ]
    return transport.map { ImageError.transport($0, url: url) } + decoding.map { ImageError.decoding($0, url: url) }
      + encoding.map { ImageError.failed(cause: $0, url: url) } + disk + loads
  }

  @Test func `no message names a part of the library's API`() throws {
    for error in try Self.errors() {
      let text = Advice.describe(error)
      let names = text.matches(of: /[a-z]+[A-Z][A-Za-z]*| \.[a-z]+|configuration/)
      #expect(names.isEmpty, "\(text)")
    }
  }
}
