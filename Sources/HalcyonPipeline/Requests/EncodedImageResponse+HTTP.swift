public import HalcyonHTTP
import Foundation
import HalcyonImaging
import HalcyonSupport

/// The response of an HTTP server that sends the image.
extension EncodedImageResponse {
  /// A strong entity tag: a digest of the bytes, equal for equal files in every process and on every machine.
  ///
  /// Takes about a millisecond per megabyte.
  public var entityTag: String { "\"\(KeyDigest(data).hexadecimal)\"" }

  /// The status and the header fields of the response to a request: 304, without a body, if the client has the file.
  ///
  /// The fields are `Content-Type`, `ETag`, `Cache-Control`, `X-Content-Type-Options`, the `Last-Modified` of the
  /// source and, with `varying`, `Vary`. The lifetime is the source's remaining one; `no-store` and `private` of the
  /// source are passed on.
  ///
  /// ```swift
  /// let file = try await pipeline.encodedResponse(for: request, as: .webp)
  /// let (status, headers) = file.httpHead(for: ["If-None-Match": "\"abc\""])
  /// let body = status == 304 ? Data() : file.data
  /// ```
  ///
  /// - Parameters:
  ///   - request: The header fields of the request, of which `If-None-Match` and `If-Modified-Since` count (RFC 9110,
  ///     13.2.2).
  ///   - lifetime: How long clients may keep the file if its source states no lifetime. Default: a day.
  ///   - varying: The request fields that the file was chosen by, such as `Accept`. Default: none.
  public func httpHead(
    for request: HTTPHeaders = [:], lifetime: Duration = .seconds(86_400), varying: [String] = []
  ) -> (status: Int, headers: HTTPHeaders) {
    let tag = entityTag
    var headers: HTTPHeaders = [
      "ETag": tag, "Cache-Control": cacheControl(lifetime), "X-Content-Type-Options": "nosniff",
    ]
    if let date = head?.headers["Last-Modified"] { headers["Last-Modified"] = date }
    if !varying.isEmpty { headers["Vary"] = varying.joined(separator: ", ") }
    guard !isCurrent(tag, request) else { return (304, headers) }
    headers["Content-Type"] = (format ?? ImageFormat(sniffing: data))?.mediaType ?? "application/octet-stream"
    return (200, headers)
  }

  private func cacheControl(_ lifetime: Duration) -> String {
    guard let head else { return "public, max-age=\(lifetime.components.seconds)" }
    let control = CacheControl(head.headers)
    if control.forbidsStorage { return "no-store" }
    let isFreshByItself = control.maxAge != nil || control.sharedMaxAge != nil || head.headers["Expires"] != nil
    let seconds = (isFreshByItself ? freshness ?? .zero : lifetime).components.seconds
    let scope = control.isPrivate ? "private" : "public"
    return control.requiresValidation ? "\(scope), no-cache" : "\(scope), max-age=\(seconds)"
  }

  private func isCurrent(_ tag: String, _ request: HTTPHeaders) -> Bool {
    if let condition = request["If-None-Match"] {
      let tags = condition.utf8.split(separator: UInt8(ascii: ",")).map {
        String(Substring($0)).trimmingCharacters(in: .whitespaces)
      }
      return tags.contains { $0 == "*" || $0.trimmingPrefix("W/") == tag }
    }
    guard let date = request["If-Modified-Since"], let last = head?.headers["Last-Modified"] else { return false }
    return date == last
  }
}
