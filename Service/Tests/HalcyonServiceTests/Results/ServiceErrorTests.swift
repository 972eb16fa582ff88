import Foundation
import HTTPTypes
import Halcyon
import HalcyonProcessing
import HalcyonTestTraits
import Testing

@testable import HalcyonService

/// What a client learns of a source that fails.
@Suite(.unitTest)
struct ServiceErrorTests {
  private static let url = URL(filePath: "/a")

  @Test(
    arguments: [(0, 1), (1, 1), (999, 1), (1000, 1), (7000, 7), (7900, 7)])
  func `a client is asked to wait as long as the source asks, but a second at least`(milliseconds: Int, seconds: Int) {
    let error = ImageError.retryLater(after: .milliseconds(milliseconds), status: 429, url: Self.url)
    #expect(ServiceError(error).retryAfter == seconds)
    #expect(ServiceError(error).status == 429)
  }

  @Test(
    arguments: [
      (.connectTimedOut(.seconds(1)), true), (.idleTimedOut(.seconds(1)), true), (.totalTimedOut(.seconds(1)), true),
      (.connectionFailed(host: "a", reason: "b"), false), (.hostNotFound("a"), false),
    ] as [(TransportError, Bool)])
  func `a source that does not respond is told from one that cannot be reached`(error: TransportError, isSlow: Bool) {
    let message = ServiceError(ImageError.transport(error, url: Self.url)).message
    #expect(message == (isSlow ? "The source did not respond in time." : "The source cannot be reached."))
  }

  private static let size = PixelSize(width: 9, height: 8)

  private static let requestErrors: [(ServiceError, Int)] = [
    (.methodNotAllowed, 405), (.unauthorized, 401), (.notFound, 404), (.expired, 404), (.invalidSignature, 403),
    (.signatureMissing, 403), (.secretMissing, 403), (.preconditionFailed, 412), (.path(.chainedPipelines), 400),
    (.option(.unknownOption("a")), 400), (.unwritableFormat(.bmp), 422), (.svgNotSent, 422), (.deadlineExceeded, 503),
    (.shuttingDown, 503), (.purgeIncomplete, 503), (.clientLeft, 499), (.failed, 500),
  ]

  private static let planErrors: [(PlanError, Int)] = [
    (.resultTooLarge(size, sideLimit: 1), 400), (.watermarkTooLarge(size, sideLimit: 1), 400),
    (.emptyCrop(size), 400), (.tooLarge(size, pixelLimit: 1), 422), (.sourceTooLarge(size, pixelLimit: 1), 422),
    (.framesTooLarge(size, pixelLimit: 1), 422), (.sourceTooLong(byteLimit: 1), 422),
    (.tooManyPixels(frameCount: 2, size, pixelLimit: 1), 422),
  ]

  private static let sourceErrors: [(SourceError, Int)] = [
    (.malformed, 400), (.notAllowed, 403), (.noLocalFolder, 404), (.noStorage, 404), (.noSuchFile, 404),
    (.unreadable, 503), (.noCredentials, 503), (.tooManyWaiting, 429), (.timedOut, 504),
  ]

  private static let imageErrors: [(ImageError, Int, Bool)] = [
    (.httpStatus(410, url: url), 410, true), (.httpStatus(404, url: url), 404, true),
    (.httpStatus(500, url: url), 502, true), (.emptyResponse(url: url), 502, true),
    (.notAnImage(contentType: nil, url: url), 422, true), (.decoding(.truncated(.png), url: url), 422, true),
    (.responseTooLarge(byteLimit: 1, url: url), 422, true), (.tooManyRedirects(limit: 1, url: url), 502, true),
    (.redirectRejected(to: "a", from: url), 403, true), (.transport(.hostNotFound("a"), url: url), 502, true),
    (.notCached(key: "a"), 500, false), (.failed(cause: CancellationError(), url: url), 500, false),
  ]

  /// An error, its status, and whether its source is to blame.
  private static var errors: [(ServiceError, Int, Bool)] {
    var errors: [(ServiceError, Int, Bool)] = requestErrors.map { ($0, $1, false) }
    errors += planErrors.map { (ServiceError.plan($0), $1, false) }
    errors += sourceErrors.map { (ServiceError.source($0), $1, true) }
    return errors + imageErrors.map { (ServiceError.image($0), $1, $2) }
  }

  @Test(arguments: errors)
  func `each error has a status, and a client may try again after some`(
    error: ServiceError, status: Int, isOfSource: Bool
  ) {
    #expect(error.status == status)
    #expect(error.isOfSource == isOfSource)
    #expect(error.retryAfter == ([429, 503].contains(status) ? 1 : nil))
    let headers = ServiceResponse.failure(error).headers
    #expect(headers[.retryAfter] == ([429, 503].contains(status) ? "1" : nil))
    #expect(headers[.allow] == (status == 405 ? "GET, HEAD, OPTIONS" : nil))
    #expect(headers[.wwwAuthenticate] == (status == 401 ? "Bearer" : nil))
    #expect(!error.message.isEmpty)
  }

  @Test func `an error that another one wraps is the one that counts`() {
    let plan = PlanError.sourceTooLong(byteLimit: 1)
    let wrapped: [(any Error, Int)] = [
      (ImageError.failed(cause: ServiceError.svgNotSent, url: Self.url), 422),
      (ImageError.failed(cause: plan, url: Self.url), 422),
      (ImageError.processingFailed(identifier: "a", cause: plan, url: Self.url), 422),
      (ImageError.requestRejected(cause: SourceError.notAllowed, url: Self.url), 403),
      (ImageError.failed(cause: SourceError.noSuchFile, url: Self.url), 404), (ImageError.cancelled, 499),
      (CancellationError(), 499), (SourceError.timedOut, 504), (plan, 422), (PathError.chainedPipelines, 400),
      (OptionError.unknownOption("a"), 400), (TransportError.cancelled, 500),
    ]
    for (error, status) in wrapped { #expect(ServiceError(error).status == status, "\(error)") }
  }

  @Test func `a client does not learn the URL of a source that fails, unless it is to`() throws {
    let url = try #require(URL(string: "https://secret.example/a"))
    for error in [
      ImageError.httpStatus(404, url: url), .transport(.hostNotFound("secret.example"), url: url),
      .redirectRejected(to: "http://secret.example", from: url), .notAnImage(contentType: nil, url: url),
    ] {
      #expect(!ServiceError(error).message.contains("secret"))
      #expect(ServiceError(error).cause.contains("secret"))
    }
    #expect(ServiceError.expired.cause == ServiceError.expired.message)
  }

  /// The error of a source, the attempts so far, and whether it is requested again.
  @Test(
    arguments: [
      (.httpStatus(404, url: url), 1, false), (.httpStatus(429, url: url), 1, false),
      (.httpStatus(499, url: url), 1, false), (.httpStatus(500, url: url), 1, true),
      (.httpStatus(503, url: url), 2, true), (.httpStatus(503, url: url), 3, false),
      (.retryLater(after: .zero, status: 429, url: url), 1, false),
      (.retryLater(after: .zero, status: 503, url: url), 1, true),
      (.transport(.connectionLost(received: 0, expected: nil), url: url), 1, true),
      (.notAnImage(contentType: nil, url: url), 1, false),
    ] as [(ImageError, Int, Bool)])
  func `a source that refuses is not requested again`(error: ImageError, attempts: Int, isRepeated: Bool) async {
    let delay = await SourceRetries(timeout: .seconds(60)).delay(
      after: FailedAttempt(error: error, attemptCount: attempts))
    #expect((delay != nil) == isRepeated)
  }
}
