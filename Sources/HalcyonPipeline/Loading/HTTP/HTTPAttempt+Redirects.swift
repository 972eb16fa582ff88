import HalcyonCache
import HalcyonHTTP

/// Redirects: followed up to a limit, at once if a stored one is fresh.
extension HTTPAttempt {
  func follow(_ first: Route.Hop) async throws(ImageError) -> Outcome? {
    var redirects = Redirect.Counter(limit: configuration.redirectLimit, from: request.url)
    var hop = first
    while true {
      try redirects.count()
      let route = try await route(over: hop)
      request.redirects = route.redirects
      let (rules, now) = (configuration.httpCaching, configuration.time.now())
      if let stored = route.storedHop(of: request, rules: rules, at: now) {
        hop = stored
      } else if let head = route.storedHead(of: request, rules: rules, at: now) {
        return .success(.notModified(head, isStorable: route.isStorable))
      } else {
        switch try await perform(try exchange(on: route)) {
        case .done(let outcome): return outcome
        case .cannotResume: return nil
        case .redirect(let further): hop = further
        }
      }
    }
  }

  /// The way over a redirect, to the request that the redirect handler and the modifier return.
  private func route(over hop: Route.Hop) async throws(ImageError) -> Route {
    var route = hop.route
    route.redirects.append(hop.redirect)
    route.request = try await acceptedByHandler(hop.next, after: hop.route.request)
    route.setConditions(of: request)
    if modifier != nil, Origin(route.request.url) == request.origin {
      route.request = try await modified(route.request)
    }
    route.isStorable = route.isStorable && isStorable(route.request)
    return route
  }

  /// The redirect that a response is; `nil` if it is none.
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
