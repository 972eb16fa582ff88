import Foundation
import HalcyonCache
import HalcyonHTTP

/// Redirects: followed up to a limit, at once if a stored one is fresh.
extension HTTPAttempt {
  @inline(never)
  func follow(_ hop: Route.Hop) async throws(ImageError) -> Step {
    let limit = configuration.redirectLimit
    guard hop.route.redirects.count < limit else { throw .tooManyRedirects(limit: limit, url: request.url) }
    let unmodified = try await route(over: hop)
    let isModified = modifier != nil && Origin(unmodified.request.url) == request.origin
    let route = isModified ? try await made(unmodified, withPermit: false) : unmodified
    request.redirects = route.redirects
    let (rules, now) = (configuration.httpCaching, configuration.time.now())
    if let stored = route.storedHop(of: request, rules: rules, at: now) { return .follow(stored) }
    if let head = route.storedHead(of: request, rules: rules, at: now) {
      return .finish(HTTPResponse(nil, head, isStorable: route.isStorable))
    }
    guard isModified else { return .send(try await exchange(on: route)) }
    return .send(
      try await exchange(on: route, to: try target(of: route)) { () async throws(ImageError) in
        try await made(unmodified, withPermit: true)
      })
  }

  /// The route after a redirect, with the next request as the redirect handler changed it.
  private func route(over hop: Route.Hop) async throws(ImageError) -> Route {
    var route = hop.route
    route.redirects.append(hop.redirect)
    route.request = try await acceptedByHandler(hop.next, after: hop.route.request)
    route.setConditions(of: request)
    route.isStorable = route.isStorable && isStorable(route.request)
    return route
  }

  /// The redirect of a response; `nil` if it does not redirect.
  func hop(after reply: HTTPReply) throws(ImageError) -> Route.Hop? {
    let response = reply.response
    guard let next = try Redirect.next(after: reply.request, status: response.status, headers: response.headers) else {
      return nil
    }
    let redirect = EntryMetadata.Redirect(
      status: response.status, headers: response.headers, requestDate: reply.sent,
      responseDate: configuration.time.now())
    return Route.Hop(
      redirect: configuration.httpCaching.stored(redirect, requestHeaders: reply.request.headers), next: next,
      route: reply.route)
  }
}

/// Redirects (RFC 9110, 15.4), and the request that follows one.
enum Redirect {
  private static let statuses = [301, 302, 303, 307, 308]

  /// Fields that do not identify the user. All others are dropped when a redirect leaves the origin.
  static let impersonalFields: Set<String> = [
    "accept", "accept-encoding", "accept-language", "cache-control", "content-encoding", "content-language",
    "content-type", "if-modified-since", "if-none-match", "if-range", "range", "referer", "user-agent",
  ]

  /// The request to send after a redirect; `nil` if the response is not a redirect, or names no target.
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
      next.headers["Referer"] = next.headers["Referer"].flatMap { referer($0, for: target) }
    }
    return next
  }

  /// The `Referer` for another origin: without credentials, and not from a secure page to an unsecured one (RFC 9110, 10.1.3).
  private static func referer(_ text: String, for target: URL) -> String? {
    guard let page = URL(string: text), let origin = Origin(page) else { return nil }
    if origin.scheme == "https", Origin(target)?.scheme != "https" { return nil }
    return page.hasCredentials ? page.withoutCredentials.absoluteString : text
  }

  /// Whether the next request is a GET: after 303, and by convention for a POST after 301 and 302 (RFC 9110, 15.4).
  private static func changesToGET(_ method: HTTPMethod, _ status: Int) -> Bool {
    switch status {
    case 303: method != .get
    case 301, 302: method == .post
    default: false
    }
  }
}
