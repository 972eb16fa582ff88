import HalcyonHTTP
import Foundation

/// The request that follows a redirect, or why there is none (RFC 9110, 15.4).
struct Redirect {
  private static let statuses = [301, 302, 303, 307, 308]

  /// Fields that tell nothing about who asks; all others stay behind when a redirect leaves the origin.
  private static let impersonalFields: Set<String> = [
    "accept", "accept-encoding", "accept-language", "cache-control", "if-modified-since", "if-none-match", "if-range",
    "range", "user-agent",
  ]

  /// - Returns: The next request; `nil` when the answer is no redirect.
  static func next(
    after request: TransportRequest, status: Int, headers: HTTPHeaders
  ) throws(ImageError) -> TransportRequest? {
    guard statuses.contains(status) else { return nil }
    guard let location = headers["Location"] else { throw .httpStatus(status, url: request.url) }
    guard let target = URL(string: location, relativeTo: request.url)?.absoluteURL, let origin = Origin(target)
    else { throw .redirectRefused(to: location, from: request.url) }
    var next = request
    next.url = target
    if origin != Origin(request.url) {
      next.headers = request.headers.filter { impersonalFields.contains($0.name.lowercased()) }
    }
    return next
  }
}
