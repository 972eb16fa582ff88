public import HalcyonSupport
public import HalcyonImaging
public import HalcyonHTTP
public import Foundation

/// The reason why a request ended without an image.
///
/// ```swift
/// do {
///   show(try await pipeline.image(for: url))
/// } catch .httpStatus(404, _) {
///   showPlaceholder("There is no such image.")
/// } catch {
///   showPlaceholder(error.isTransient ? "Try again later." : error.description)
/// }
/// ```
///
/// The URL in an error of a source without one, such as ``ImageSource/data(_:key:)``, is `key:` and the percent-encoded
/// key.
@nonexhaustive
public indirect enum ImageError: Error, Sendable {
  /// The text is not a valid URL.
  case invalidURL(String)
  /// The URL has a scheme other than `http`, `https`, `file` and `data`, or a closure resolved a key to a URL that has another
  /// scheme than the first two.
  case unsupportedScheme(String, url: URL)
  /// The target size has a side below 1 pixel.
  case invalidTargetSize(TargetSize, url: URL)
  /// The transfer failed before the response was complete.
  case transport(TransportError, url: URL)
  /// The status code is outside 200–299; the body was not read.
  case httpStatus(Int, url: URL)
  /// The server refuses requests (status 429 or 503) with a `Retry-After` that the retry strategy does not wait for, or
  /// not again.
  case retryLater(after: Duration, status: Int, url: URL)
  /// There were more redirects than ``PipelineConfiguration/redirectLimit``.
  case tooManyRedirects(limit: Int, url: URL)
  /// A redirect leads to a URL that is not `http` or `https`, or ``RequestOptions/redirectHandler`` rejected it.
  case redirectRejected(to: String, from: URL)
  /// The response has no body.
  case emptyResponse(url: URL)
  /// The body exceeds ``ImageLimits/encodedByteCount``, in bytes; nothing was stored.
  case responseTooLarge(byteLimit: Int, url: URL)
  /// The bytes are not an image. `contentType` is the `Content-Type` of the response, if it has one.
  case notAnImage(contentType: String?, url: URL)
  /// The image could not be decoded.
  case decoding(ImageDecodingError, url: URL)
  /// The file cannot be read; `code` is the `errno` value.
  case unreadableFile(path: String, code: Int32)
  /// The `data:` URL is malformed.
  case invalidDataURL(reason: String)
  /// A processor failed.
  case processingFailed(identifier: String, cause: any Error, url: URL)
  /// The load took longer than ``RequestOptions/timeout``, not counting the wait for a connection.
  case timedOut(Duration, url: URL)
  /// Too many loads wait for a connection (``ConnectionLimits/waiting``), and this one had the lowest priority.
  case tooManyWaiting(limit: Int, url: URL)
  /// The request was not sent, or not sent again: ``PipelineConfiguration/requestMapper``, a ``RequestModifier`` or
  /// ``RequestOptions/redirectHandler`` threw `cause`.
  case requestRejected(cause: any Error, url: URL)
  /// ``RequestOptions/responseValidator`` threw `cause`.
  case responseRejected(cause: any Error, url: URL)
  /// The closure of an ``ImageSource`` failed.
  case providerFailed(key: String, cause: any Error)
  /// The source of the request and all its alternatives failed, with these errors in this order.
  case allSourcesFailed([ImageError])
  /// A decoder, encoder, transport, store or the file system failed with an error of its own.
  case failed(cause: any Error, url: URL)
  /// The image is not cached, and the request does not allow the network.
  case notCached(key: String)
  /// The image cannot be stored: there is no store, the request or the server forbids it, or it is partial
  /// (``DecodedImage/isPartial``).
  case notStorable(key: String)
  /// The load was started by the closure of a provider or resolver on which it depends, and would wait for itself.
  case circularLoad(key: String)
  /// ``ImagePipeline/invalidate()`` was called: the pipeline ends all loads and starts no more.
  case pipelineInvalidated(url: URL)
  /// The request was cancelled.
  case cancelled
}

extension ImageError: DescribedError {
  /// One or two sentences: what happened, and how to fix it.
  public var description: String {
    switch self {
    case .invalidURL(let text):
      "“\(text.withoutUserInfo.printable)” is \(Self.urlAdvice(for: text))"
    case .unsupportedScheme(let scheme, let url):
      ["file", "data"].contains(scheme.lowercased())
        ? "A key was resolved to \(url.printable). Resolve it to a URL with http or https, or use ImageSource.data(key:load:)."
        : "\(url.printable) has the scheme “\(scheme.printable)”. Use http, https, file or data."
    case .invalidTargetSize(let size, let url):
      "\(url.sourceName) was requested at the size \(size), which has a side below 1 pixel. Request at least 1x1."
    case .transport(let error, let url):
      "\(url.printable) was not loaded. \(error)"
    case .httpStatus(let code, let url):
      "\(url.printable) responded with HTTP \(code). \(Self.advice(forStatus: code))"
    case .retryLater(let delay, let code, let url):
      "\(url.printable) responded with HTTP \(code). The server asks to wait for \(delay) (Retry-After). Try again then."
    case .tooManyRedirects(let limit, let url):
      "\(url.printable) redirects more than \(limit.counted("time")). Use the final URL, or raise redirectLimit."
    case .redirectRejected(let target, let url):
      "\(url.printable) redirects to “\(URL.printable(target))”, which is not http or https or was rejected. Use another URL."
    case .emptyResponse(let url) where url.sourceKey != nil:
      "\(url.sourceName) has no bytes. Check the data of this source."
    case .emptyResponse(let url):
      "\(url.printable) responded with an empty body. Check that there is an image at this URL."
    case .responseTooLarge(let byteLimit, let url):
      "\(url.sourceName) is over \(byteLimit.counted("byte")). Raise limits.encodedByteCount to accept it."
    case .notAnImage(let contentType, let url):
      """
      \(url.sourceName) is not an image: its bytes are in no format that this build \
      reads\(contentType.map { " (the server says \($0.printable))" } ?? ""). \
      Check the \(url.sourceKey == nil ? "URL" : "data of this source").
      """
    case .decoding(let error, let url):
      "\(url.sourceName) was not decoded. \(error)"
    case .unreadableFile(let path, let code):
      "\(path.printable) cannot be read: \(String(cString: strerror(code))). Check its path and permissions."
    case .invalidDataURL(let reason):
      "The data: URL is malformed: \(reason.printable). Write data:image/png;base64,…"
    case .processingFailed(let identifier, let cause, let url):
      "The processor \(identifier.printable) failed on \(url.sourceName): \(cause)"
    case .timedOut(let limit, let url):
      "\(url.sourceName) was not loaded within \(limit). Try again, or raise the request's timeout."
    case .tooManyWaiting(let limit, let url):
      """
      \(url.printable) was not requested: \(limit.counted("load")) already \(limit == 1 ? "waits" : "wait") for a connection. \
      Start fewer loads at once, or raise connectionLimits.waiting.
      """
    case .requestRejected(let cause, let url):
      "\(url.printable) was not requested: \(cause)"
    case .responseRejected(let cause, let url):
      "The response of \(url.printable) was rejected: \(cause)"
    case .providerFailed(let key, let cause):
      "The source of “\(key.printable)” failed: \(cause)"
    case .allSourcesFailed(let errors):
      "\(errors.count == 1 ? "The only source" : "All \(errors.count) sources") failed: "
        + errors.map(\.description).joined(separator: " ")
    case .failed(let cause, let url):
      "\(url.sourceName) was not loaded or stored: \(cause)"
    case .notCached(let key):
      """
      \(key.printable) is not cached, and the request does not allow the network. Set its cachePolicy to .standard \
      to load it.
      """
    case .notStorable(let key):
      """
      \(key.printable) cannot be stored: there is no store, the request or the server forbids it, or the image \
      is partial. Keep it in memory instead.
      """
    case .circularLoad(let key):
      """
      The load of \(key.printable) would wait for itself: its source loads the \
      same image, directly or through others. Use another image there.
      """
    case .pipelineInvalidated(let url):
      "\(url.sourceName) was not loaded: the pipeline was invalidated and loads no more images. Use another pipeline."
    case .cancelled:
      "The request was cancelled."
    }
  }

  private static func urlAdvice(for text: String) -> String {
    let isPath = ["/", "./", "../", "~"].contains { text.hasPrefix($0) } && !text.hasPrefix("//")
    if isPath { return "a path, not a URL. Use URL(filePath:)." }
    let mayBePath = !text.contains(":")
    return
      "not a valid URL. Use one like https://example.com/image.jpg\(mayBePath ? ", or URL(filePath:) for a file" : "")."
  }

  private static func advice(forStatus code: Int) -> String {
    switch code {
    case 401, 403: "Send credentials in the request's headers."
    case 404, 410: "Check the URL."
    case 500...: "Try again later."
    default: "Check what the server expects of the request."
    }
  }
}

extension URL {
  /// The source in a message: its URL, or its key in quotation marks.
  fileprivate var sourceName: String { sourceKey.map { "“\($0.printable)”" } ?? printable }
}
