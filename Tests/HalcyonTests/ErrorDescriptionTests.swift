import Foundation
import Halcyon
import HalcyonBackend
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonProcessing
import HalcyonTestTraits
import HalcyonViews
import Testing

/// What every error says. The exhaustive switches below do not compile with a case that is not among the samples.
@Suite(.unitTest)
struct ErrorDescriptionTests {
  private static let errors: [any LocalizedError & CustomStringConvertible] =
    samples(ImageError.self) + samples(ImageDecodingError.self) + samples(ImageEncodingError.self)
    + samples(ImageProcessingError.self) + samples(TransportError.self) + samples(DiskCacheError.self)
    + samples(ImageViewError.self) + samples(TieredStoreError.self) + samples(S3StoreError.self)
    + samples(MemcachedError.self) + samples(OptionError.self) + samples(PlanError.self)

  private static func samples<E: SampledError>(_ type: E.Type) -> [any LocalizedError & CustomStringConvertible] {
    var (errors, last): ([E], E?) = ([], nil)
    while let next = E.sample(after: last) {
      errors.append(next)
      last = next
    }
    return errors
  }

  @Test func `every error says by its localized description what its description says`() {
    for error in Self.errors {
      #expect(!error.description.isEmpty)
      #expect((error as any Error).localizedDescription == error.description)
    }
  }

  // All numbers of the samples are 1.
  @Test func `one thing is no plural`() {
    for error in Self.errors {
      let plurals = error.description.matches(of: /\b1 [a-z]+s\b/).map(\.output).filter { $0 != "1 waits" }
      #expect(plurals.isEmpty, "\(error)")
    }
  }

  @Test func `every failure of a load names its source`() {
    for case let error as ImageError in Self.errors {
      switch error {
      // The end that the program asked for, and a source that has no name but its bytes.
      case .cancelled, .invalidDataURL: continue
      default: #expect(error.description.contains("a.jpg"), "\(error)")
      }
    }
  }
}

/// An error with a sample of each case.
private protocol SampledError: LocalizedError, CustomStringConvertible {
  /// The sample after that of another case; the first after `nil`, and `nil` after the last.
  static func sample(after error: Self?) -> Self?
}

private let url = URL(string: "https://example.com/a.jpg") ?? URL(filePath: "/")
private let size = PixelSize(width: 1, height: 1)
private let limit = Duration.seconds(1)

extension ImageError: SampledError {
  static func sample(after error: ImageError?) -> ImageError? {
    switch error {
    case nil: .invalidURL("./a.jpg")
    case .invalidURL: .unsupportedScheme("ftp", url: url)
    case .unsupportedScheme: .invalidTargetSize(.fit(width: 0, height: 1), url: url)
    case .invalidTargetSize: .transport(.hostNotFound("example.com"), url: url)
    case .transport: .httpStatus(404, url: url)
    case .httpStatus: .retryLater(after: limit, status: 503, url: url)
    case .retryLater: .tooManyRedirects(limit: 1, url: url)
    case .tooManyRedirects: .redirectRejected(to: "ftp://example.com", from: url)
    case .redirectRejected: .emptyResponse(url: url)
    case .emptyResponse: .responseTooLarge(byteLimit: 1, url: url)
    case .responseTooLarge: .notAnImage(contentType: "text/html", url: url)
    case .notAnImage: .decoding(.unknownFormat, url: url)
    case .decoding: .unreadableFile(path: "/a.jpg", code: ENOENT)
    case .unreadableFile: .invalidDataURL(reason: "it has no comma")
    case .invalidDataURL: .processingFailed(identifier: "blur", cause: ImageProcessingError.emptyCrop(size), url: url)
    case .processingFailed: .timedOut(limit, url: url)
    case .timedOut: .tooManyWaiting(limit: 1, url: url)
    case .tooManyWaiting: .requestRejected(cause: CancellationError(), url: url)
    case .requestRejected: .responseRejected(cause: CancellationError(), url: url)
    case .responseRejected: .providerFailed(key: "a.jpg", cause: CancellationError())
    case .providerFailed: .allSourcesFailed([.httpStatus(404, url: url)])
    case .allSourcesFailed: .failed(cause: CancellationError(), url: url)
    case .failed: .notCached(key: "a.jpg")
    case .notCached: .notStorable(key: "a.jpg")
    case .notStorable: .circularLoad(key: "a.jpg")
    case .circularLoad: .pipelineInvalidated(url: url)
    case .pipelineInvalidated: .cancelled
    case .cancelled: nil
    }
  }
}

extension ImageDecodingError: SampledError {
  static func sample(after error: ImageDecodingError?) -> ImageDecodingError? {
    switch error {
    case nil: .unknownFormat
    case .unknownFormat: .unsupportedFormat(.jpegXL)
    case .unsupportedFormat: .unsupportedFeature(.tiff, feature: "tiles")
    case .unsupportedFeature: .corrupt(.png, reason: "it has no header")
    case .corrupt: .truncated(.gif)
    case .truncated: .tooManyPixels(size, limit: 1)
    case .tooManyPixels: .sideTooLong(size, limit: 1)
    case .sideTooLong: .tooManyBytes(1, limit: 1)
    case .tooManyBytes: .invalidTargetSize(.fit(width: 0, height: 1))
    case .invalidTargetSize: .invalidRegion(PixelArea(left: 1, top: 0, width: 5, height: 5), of: size)
    case .invalidRegion: .outOfMemory(size)
    case .outOfMemory: .unreadable(url, reason: "it is a folder")
    case .unreadable: .cancelled
    case .cancelled: nil
    }
  }
}

extension ImageEncodingError: SampledError {
  static func sample(after error: ImageEncodingError?) -> ImageEncodingError? {
    switch error {
    case nil: .unsupportedFormat(.heic)
    case .unsupportedFormat: .tooLarge(.webp, size)
    case .tooLarge: .overByteLimit(.jpeg, byteCount: 1, byteLimit: 1)
    case .overByteLimit: .metadataNotSupported(.gif)
    case .metadataNotSupported: .failed(.png, reason: "no memory")
    case .failed: .unknownFileExtension(url)
    case .unknownFileExtension: .unwritable(url, reason: "the disk is full")
    case .unwritable: nil
    }
  }
}

extension ImageProcessingError: SampledError {
  static func sample(after error: ImageProcessingError?) -> ImageProcessingError? {
    switch error {
    case nil: .invalidParameter("blur radius", value: -1, allowed: 0...1)
    case .invalidParameter: .emptyCrop(size)
    case .emptyCrop: .resultTooLarge(size, limit: 1)
    case .resultTooLarge: .invalidTargetSize(.fit(width: 0, height: 1))
    case .invalidTargetSize: .failed(identifier: "blur", reason: "no memory")
    case .failed: nil
    }
  }
}

extension TransportError: SampledError {
  static func sample(after error: TransportError?) -> TransportError? {
    switch error {
    case nil: .hostNotFound("example.com")
    case .hostNotFound: .connectionFailed(host: "example.com", reason: "refused")
    case .connectionFailed: .addressRejected(address: "::1", host: "example.com", reason: "loopback")
    case .addressRejected: .addressPolicyUnsupported
    case .addressPolicyUnsupported: .signatureUnsupported
    case .signatureUnsupported: .proxyFailed(proxy: "proxy", status: 407, reason: "no password")
    case .proxyFailed: .connectTimedOut(limit)
    case .connectTimedOut: .idleTimedOut(limit)
    case .idleTimedOut: .totalTimedOut(limit)
    case .totalTimedOut: .connectionLost(received: 1, expected: 1)
    case .connectionLost: .secureConnectionFailed(host: "example.com", reason: "self-signed")
    case .secureConnectionFailed: .publicKeyMismatch(host: "example.com")
    case .publicKeyMismatch: .headersTooLarge(byteLimit: 1)
    case .headersTooLarge: .malformedResponse(reason: "no status")
    case .malformedResponse: .badContentEncoding(reason: "cut")
    case .badContentEncoding: .cancelled
    case .cancelled: .failed(reason: "broken")
    case .failed: nil
    }
  }
}

extension DiskCacheError: SampledError {
  static func sample(after error: DiskCacheError?) -> DiskCacheError? {
    switch error {
    case nil: .system(call: "open", path: "/cache", code: ENOSPC)
    case .system: .index(reason: "locked")
    case .index: .damagedIndex(path: "/cache")
    case .damagedIndex: .newerFormat(path: "/cache", format: 1)
    case .newerFormat: .busy(path: "/cache")
    case .busy: .entryTooLarge(byteCount: 1, sizeLimit: 1)
    case .entryTooLarge: .metadataTooLarge(byteCount: 1, limit: 1)
    case .metadataTooLarge: .unsafeFolder(path: "/cache")
    case .unsafeFolder: .insufficientSpace(byteCount: 1, sizeLimit: 1)
    case .insufficientSpace: nil
    }
  }
}

extension ImageViewError: SampledError {
  static func sample(after error: ImageViewError?) -> ImageViewError? {
    switch error {
    case nil: .emptySource
    case .emptySource: .superseded(.failure(.cancelled), request: ImageRequest(url: url))
    case .superseded: .cancelled(request: ImageRequest(url: url))
    case .cancelled: .loading(.httpStatus(404, url: url))
    case .loading: nil
    }
  }
}

extension TieredStoreError: SampledError {
  static func sample(after error: TieredStoreError?) -> TieredStoreError? {
    switch error {
    case nil: .budgetExceeded(tier: "S3", budget: limit)
    case .budgetExceeded: .skipped(tier: "S3")
    case .skipped: .purgeUnsupported(tier: "S3")
    case .purgeUnsupported: nil
    }
  }
}

extension S3StoreError: SampledError {
  static func sample(after error: S3StoreError?) -> S3StoreError? {
    switch error {
    case nil: .refused(status: 403, code: "AccessDenied")
    case .refused: .malformedList
    case .malformedList: .metadataTooLarge
    case .metadataTooLarge: .conflict
    case .conflict: nil
    }
  }
}

extension MemcachedError: SampledError {
  private static let server = MemcachedServer(host: "cache")

  static func sample(after error: MemcachedError?) -> MemcachedError? {
    switch error {
    case nil: .timedOut(server: server, limit: limit)
    case .timedOut: .failed(server: server, reason: "refused")
    case .failed: .unavailable
    case .unavailable: .notRemoved(servers: [server])
    case .notRemoved: .metadataTooLarge
    case .metadataTooLarge: .conflict
    case .conflict: nil
    }
  }
}

extension OptionError: SampledError {
  static func sample(after error: OptionError?) -> OptionError? {
    switch error {
    case nil: .unknownOption("a")
    case .unknownOption: .forbiddenOption("a")
    case .forbiddenOption: .optionNotAllowed("a")
    case .optionNotAllowed: .tooManyArguments(option: "a", limit: 1)
    case .tooManyArguments: .invalidArgument(option: "a", value: "b", expected: "a number")
    case .invalidArgument: .unknownPreset("a")
    case .unknownPreset: .presetsOnly("a")
    case .presetsOnly: .unknownFormat("a")
    case .unknownFormat: nil
    }
  }
}

extension PlanError: SampledError {
  static func sample(after error: PlanError?) -> PlanError? {
    switch error {
    case nil: .resultTooLarge(size, sideLimit: 1)
    case .resultTooLarge: .tooLarge(size, pixelLimit: 1)
    case .tooLarge: .emptyCrop(size)
    case .emptyCrop: .sourceTooLarge(size, pixelLimit: 1)
    case .sourceTooLarge: .framesTooLarge(size, pixelLimit: 1)
    case .framesTooLarge: .tooManyPixels(frameCount: 1, size, pixelLimit: 1)
    case .tooManyPixels: .sourceTooLong(byteLimit: 1)
    case .sourceTooLong: .watermarkTooLarge(size, sideLimit: 1)
    case .watermarkTooLarge: nil
    }
  }
}
