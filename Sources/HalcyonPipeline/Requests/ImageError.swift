public import HalcyonSupport
public import HalcyonImaging
public import HalcyonHTTP
public import Foundation

/// Why a request ended without an image.
@nonexhaustive
public indirect enum ImageError: Error, Sendable {
  /// The text is no address.
  case invalidURL(String)
  /// The address has a scheme that cannot be loaded.
  case unsupportedScheme(String, url: URL)
  /// The wanted size has a side below 1.
  case invalidTargetSize(TargetSize)
  /// No whole answer came from the server.
  case transport(TransportError, url: URL)
  /// The server answered outside 200–299; the body was not read.
  case httpStatus(Int, url: URL)
  /// There were more redirects than allowed.
  case tooManyRedirects(limit: Int, url: URL)
  /// A redirect leads to something that is not `http` or `https`.
  case redirectRejected(to: String, from: URL)
  /// The answer has no bytes at all.
  case emptyResponse(URL)
  /// The body passed the configured limit, in bytes; nothing was kept.
  case responseTooLarge(byteLimit: Int, url: URL)
  /// The answer is something else than an image. `contentType` is what the server called it.
  case notAnImage(contentType: String?, url: URL)
  /// The bytes are an image that could not be decoded.
  case decoding(ImageDecodingError, url: URL)
  /// The file cannot be read, for the reason that the system gives.
  case unreadableFile(path: String, code: Int32)
  /// The `data:` address is malformed.
  case invalidDataURL(reason: String)
  /// A processor failed.
  case processingFailed(identifier: String, cause: any Error)
  /// The load took longer than the request allows.
  case timedOut(Duration)
  /// So many loads wait for a connection already that this one was given up.
  case tooManyWaiting(limit: Int)
  /// A hook of the caller's refused to ask, for the reason that it gives.
  case requestRejected(cause: any Error, url: URL)
  /// The caller's validator refused the answer.
  case responseRejected(cause: any Error, url: URL)
  /// The caller's closure that gives bytes, or an address, failed.
  case providerFailed(key: String, cause: any Error)
  /// The request's source and all its alternatives failed, each for its own reason.
  case allSourcesFailed([ImageError])
  /// A decoder, transport or store of the caller's own failed.
  case failed(cause: any Error, url: URL)
  /// No cache has the image and the request allows no network.
  case notCached(CacheKey)
  /// Nothing can be kept: there is no store, or the request or the server forbids it.
  case notStorable(CacheKey)
  /// The request was cancelled.
  case cancelled
}

extension ImageError: CustomStringConvertible {
  /// What happened and what to do about it, in one or two sentences.
  public var description: String {
    switch self {
    case .invalidURL(let text):
      "“\(text)” is no address. Give one like https://example.com/image.jpg."
    case .unsupportedScheme(let scheme, let url):
      "\(url.printable) has the scheme “\(scheme)”. Use http, https, file or data."
    case .invalidTargetSize(let size):
      "The target size \(size) has a side below 1 pixel. Ask for at least 1x1."
    case .transport(let error, let url):
      "\(url.printable) was not loaded. \(error)"
    case .httpStatus(let code, let url):
      "\(url.printable) answered HTTP \(code). \(Self.advice(forStatus: code))"
    case .tooManyRedirects(let limit, let url):
      "\(url.printable) redirects more than \(limit) times. Use the final address, or raise redirectLimit."
    case .redirectRejected(let target, let url):
      "\(url.printable) redirects to “\(target)”, which is not http or https. Use another address."
    case .emptyResponse(let url):
      "\(url.printable) gave no bytes. Check that there is an image at this address."
    case .responseTooLarge(let byteLimit, let url):
      "\(url.printable) is over \(byteLimit) bytes. Raise limits.encodedByteCount to accept it."
    case .notAnImage(let contentType, let url):
      "\(url.printable) is no image\(contentType.map { ": the server calls it \($0)" } ?? ""). Check the address."
    case .decoding(let error, let url):
      "\(url.printable) was not decoded. \(error)"
    case .unreadableFile(let path, let code):
      "\(path) cannot be read: \(String(cString: strerror(code))). Check its path and rights."
    case .invalidDataURL(let reason):
      "The data: address is malformed: \(reason). Write data:image/png;base64,…"
    case .processingFailed(let identifier, let cause):
      "The processor \(identifier) failed: \(cause)"
    case .timedOut(let limit):
      "The image was not there within \(limit). Try again, or raise the request's timeout."
    case .tooManyWaiting(let limit):
      "\(limit) loads wait for a connection already. Ask for less at once, or raise connectionLimits.waiting."
    case .requestRejected(let cause, let url):
      "\(url.printable) was not asked: \(cause)"
    case .responseRejected(let cause, let url):
      "The answer of \(url.printable) was refused: \(cause)"
    case .providerFailed(let key, let cause):
      "The provider of “\(key)” failed: \(cause)"
    case .allSourcesFailed(let errors):
      "None of \(errors.count) sources gave the image: " + errors.map(\.description).joined(separator: " ")
    case .failed(let cause, let url):
      "\(url.printable) was not loaded: \(cause)"
    case .notCached(let key):
      "No cache has \(key.text.prefix(300)), and the request allows no network. Set its freshness to .standard to load it."
    case .notStorable(let key):
      "\(key.text.prefix(300)) cannot be kept: there is no store, or the request or the server forbids it. Load it to memory."
    case .cancelled:
      "The request was cancelled."
    }
  }

  private static func advice(forStatus code: Int) -> String {
    switch code {
    case 401, 403: "Send credentials in the request's headers."
    case 404, 410: "Check the address."
    case 500...: "Try again later."
    default: "Check what the server expects."
    }
  }
}

extension ImageError: LocalizedError {
  /// The same as ``description``.
  public var errorDescription: String? { description }
}
