import HTTPTypes
import Halcyon
import HalcyonBackend
import HalcyonProcessing

/// Why a request has no result, and the status that says so.
enum ServiceError: Error {
  case methodNotAllowed
  case unauthorized
  case notFound
  case invalidSignature
  /// The first segment of the path is an option.
  case signatureMissing
  /// The client has another version of the result (RFC 9110, 13.1.1).
  case preconditionFailed
  /// The secret of the service is missing in the request.
  case secretMissing
  case path(PathError)
  case option(OptionError)
  case expired
  case source(SourceError)
  case plan(PlanError)
  /// The service does not write this format.
  case unwritableFormat(ImageFormat)
  /// The source is SVG, which is sent only if the service is configured to.
  case svgNotSent
  case deadlineExceeded
  case clientLeft
  case shuttingDown
  /// A tier of the cache could not be reached.
  case purgeIncomplete
  case image(ImageError)
  case failed

  init(_ error: any Error) {
    self =
      switch error {
      case let error as ServiceError: error
      case let error as PathError: .path(error)
      case let error as OptionError: .option(error)
      case let error as SourceError: .source(error)
      case let error as PlanError: .plan(error)
      // Thrown while a result was planned.
      case ImageError.failed(let cause as ServiceError, _): cause
      case ImageError.failed(let cause as PlanError, _): .plan(cause)
      case ImageError.processingFailed(_, let cause as PlanError, _): .plan(cause)
      // Thrown by the modifier of requests to sources.
      case ImageError.requestRejected(let cause as SourceError, _): .source(cause)
      // Thrown by the transport of local files.
      case ImageError.failed(let cause as SourceError, _): .source(cause)
      case ImageError.cancelled: .clientLeft
      case let error as ImageError: .image(error)
      case is CancellationError: .clientLeft
      default: .failed
      }
  }

  var status: Int {
    switch self {
    case .methodNotAllowed: 405
    case .unauthorized: 401
    case .notFound, .expired: 404
    case .invalidSignature, .signatureMissing, .secretMissing: 403
    case .preconditionFailed: 412
    case .plan(.sourceTooLarge), .plan(.sourceTooLong), .plan(.framesTooLarge), .plan(.tooManyPixels),
      .plan(.tooLarge):
      422
    case .path, .option, .plan: 400
    case .source(let error): Self.status(of: error)
    case .unwritableFormat, .svgNotSent: 422
    case .deadlineExceeded, .shuttingDown, .purgeIncomplete: 503
    // The status that nginx logs; the client has disconnected.
    case .clientLeft: 499
    case .image(.httpStatus(410, _)): 410
    case .image(let error): error.responseStatus
    case .failed: 500
    }
  }

  /// What went wrong, with the URLs and addresses that ``message`` leaves out, for the log.
  var cause: String {
    if case .image(let error) = self { return "\(error)".printable(limit: 2048) }
    return message
  }

  /// Whether the source could not be fetched or read.
  var isOfSource: Bool {
    switch self {
    case .source, .image(.httpStatus), .image(.retryLater), .image(.transport), .image(.tooManyRedirects),
      .image(.redirectRejected), .image(.emptyResponse), .image(.responseTooLarge), .image(.notAnImage),
      .image(.decoding), .image(.timedOut):
      true
    default: false
    }
  }

  /// When to try again, in seconds.
  var retryAfter: Int? {
    if case .image(.retryLater(let delay, 400..<500, _)) = self {
      return max(1, Int(clamping: delay.components.seconds))
    }
    return switch status {
    case 429, 503: 1
    default: nil
    }
  }

  /// The text of the response. It has no URL of a source, address or path.
  var message: String {
    switch self {
    case .methodNotAllowed: "Use GET or HEAD."
    case .unauthorized: "Send the purge token: Authorization: Bearer …"
    case .secretMissing: "Send the secret of the service: Authorization: Bearer …"
    case .notFound: "There is nothing at this path."
    case .invalidSignature: "The signature of the URL is not valid."
    case .signatureMissing:
      "The path begins with an option, where its signature is expected. Begin it with a signature, or with /_/."
    case .preconditionFailed: "The result is another one than If-Match names."
    // What follows an `@`, or stands where options do, may be a part of the URL of a source.
    // The same text for every cause, so that it is no oracle for encrypted sources.
    case .path(.invalidSource): SourceError.malformed.description
    case .path(.incomplete): "The path is incomplete. Use /SIGNATURE/OPTIONS/plain/URL@EXTENSION."
    case .path(let error): error.description
    case .option(.unknownFormat):
      "The extension is not that of a format that can be written. Use jpg, png, webp, gif, avif or jxl."
    case .option(.presetsOnly): "Only the names of presets are accepted as options."
    case .option(.unknownOption(let name)) where CommercialOptions.names.contains(name):
      "The option \(name) is of imgproxy's commercial edition, and is not supported. Remove it."
    case .option(.unknownOption(let name)) where !Redaction.isPlain(name): "There is no such processing option."
    case .option(.invalidArgument(let option, let value, let expected)) where !Redaction.isPlain(value):
      "An argument of the option \(option) is not valid. Use \(expected)."
    case .option(let error): Redaction.removingEncodedURLs(error.description)
    case .expired: "The URL has expired."
    case .source(let error): error.description
    case .plan(let error): error.description
    case .unwritableFormat(.svg): "Only SVG sources are sent as SVG. Use another format, such as webp or png."
    case .unwritableFormat(let format):
      """
      The service writes no \(format.rawValue): it has no maintained encoder for it. Use jpg, png, webp, gif, avif or jxl, or \
      skip_processing:\(format.fileExtension) for sources that are \(format.rawValue) already.
      """
    case .svgNotSent: "The source is SVG, which is not sent as it is: leave out raw, or add a format such as png."
    case .deadlineExceeded: "The image was not ready in time. Try again later."
    case .clientLeft: "The client has left."
    case .shuttingDown: "The service is shutting down."
    case .purgeIncomplete: "A part of the cache could not be reached. Purge again later."
    case .image(let error): Self.message(of: error)
    case .failed: "The image could not be made."
    }
  }

  private static func status(of error: SourceError) -> Int {
    switch error {
    case .malformed: 400
    case .notAllowed: 403
    case .noLocalFolder, .noStorage, .noSuchFile: 404
    case .unreadable, .noCredentials: 503
    case .tooManyWaiting: 429
    case .timedOut: 504
    }
  }

  private static func isTimeout(_ error: ImageError) -> Bool {
    switch error {
    case .transport(.connectTimedOut, _), .transport(.idleTimedOut, _), .transport(.totalTimedOut, _): true
    default: false
    }
  }

  private static func message(of error: ImageError) -> String {
    switch error {
    case .httpStatus(let status, _), .retryLater(_, let status, _): "The source responded with the status \(status)."
    case .transport(.addressRejected, _), .requestRejected: "The service is not configured to fetch this source."
    case .redirectRejected:
      "The source redirects to a URL that the service is not configured to fetch (sources, redirect-sources)."
    case .transport: isTimeout(error) ? SourceError.timedOut.description : "The source cannot be reached."
    case .tooManyRedirects(let limit, _): "The source redirects more than \(limit) times."
    case .emptyResponse: "The source is empty."
    case .responseTooLarge(let limit, _): "The source is over \(limit) bytes."
    case .notAnImage: "The source is not an image."
    case .decoding(.tooManyPixels(let size, let limit), _): "The source has \(size) pixels, over \(limit)."
    case .decoding(.sideTooLong(let size, let limit), _): "The source has \(size) pixels, over \(limit) a side."
    case .decoding(.unsupportedFormat(let format), _): "The format \(format.rawValue) of the source cannot be read."
    case .decoding: "The source could not be decoded."
    case .processingFailed: "The source could not be processed with these options."
    case .timedOut: "The image was not ready in time. Try again later."
    case .tooManyWaiting: "Too many sources are waiting. Try again later."
    case .failed(cause: is ImageEncodingError, _): "The image could not be encoded in this format."
    default: "The image could not be made."
    }
  }
}

extension ServiceResponse {
  /// An error; it is never cached.
  ///
  /// - Parameter showsCause: Whether it says what only the log has otherwise, such as the URL of the source.
  static func failure(_ error: ServiceError, showsCause: Bool = false) -> ServiceResponse {
    var response = text(error.status, (showsCause ? error.cause : error.message) + "\n")
    if let seconds = error.retryAfter { response.headers[.retryAfter] = "\(seconds)" }
    if error.status == 405 { response.headers[.allow] = "GET, HEAD, OPTIONS" }
    // The rest of a body that is too large is not read.
    if error.status == 413 { response.headers[.connection] = "close" }
    if error.status == 401 { response.headers[.wwwAuthenticate] = "Bearer" }
    return response
  }
}
