import Foundation
import HalcyonHTTP

/// Redirects (RFC 9110, 15.4): the request that follows one, and how many are followed.
enum Redirect {
  private static let statuses = [301, 302, 303, 307, 308]

  /// Fields that do not identify the user. All others are dropped when a redirect leaves the origin.
  private static let impersonalFields: Set<String> = [
    "accept", "accept-encoding", "accept-language", "cache-control", "content-encoding", "content-language",
    "content-type", "if-modified-since", "if-none-match", "if-range", "range", "user-agent",
  ]

  /// The request to send after a redirect; `nil` if the response is not a redirect, or says not where to.
  static func next(
    after request: TransportRequest, status: Int, headers: HTTPHeaders
  ) throws(ImageError) -> TransportRequest? {
    guard statuses.contains(status) else { return nil }
    let locations = headers.filter { $0.name.isEqualIgnoringCase(to: "Location") }.fields.map(\.value)
    guard let location = locations.first, !location.isEmpty else { return nil }
    guard Set(locations).count == 1, let target = WebAddress.url(location, relativeTo: request.url),
      let origin = Origin(target)
    else { throw .redirectRejected(to: locations.joined(separator: ", "), from: request.url) }
    var next = request
    next.url = target
    if changesToGET(request.method, status) {
      next.content = nil
      next.headers = next.headers.filter { !$0.name.lowercased().hasPrefix("content-") }
    }
    if origin != Origin(request.url) {
      next.signature = nil
      next.headers = next.headers.filter { impersonalFields.contains($0.name.lowercased()) }
    }
    return next
  }

  /// Whether the next request is a GET: after 303, and by convention for a POST after 301 and 302 (RFC 9110, 15.4).
  private static func changesToGET(_ method: HTTPMethod, _ status: Int) -> Bool {
    switch status {
    case 303: method != .get
    case 301, 302: method == .post
    default: false
    }
  }

  /// Counts the redirects of one request, up to ``PipelineConfiguration/redirectLimit``.
  struct Counter {
    private let limit: Int
    private let url: URL
    private var followedCount = 0

    init(limit: Int, from url: URL) {
      self.limit = limit
      self.url = url
    }

    /// Counts one more redirect.
    ///
    /// - Throws: ``ImageError/tooManyRedirects(limit:url:)`` when it is over the limit.
    mutating func count() throws(ImageError) {
      guard followedCount < limit else { throw .tooManyRedirects(limit: limit, url: url) }
      followedCount += 1
    }
  }
}
