import Foundation
import HalcyonCache
import HalcyonHTTP

/// The way from the URL of a load over redirects to its next request.
struct Route: Sendable {
  var request: TransportRequest
  /// The redirects on the way, as they are stored.
  var redirects: [EntryMetadata.Redirect] = []
  /// Whether the response may be stored, judged by all requests on the way.
  var isStorable = true
  /// Whether the request has the validators of the stored response, so that a 304 confirms it.
  private(set) var isConditional = false
  /// Whether the request is for the rest of a partial body.
  private(set) var isResumed = false

  init(request: TransportRequest) {
    self.request = request
  }

  /// A redirect, and the request that follows it. A class: a load that waits keeps a reference in its async frame.
  final class Hop: Sendable {
    let redirect: EntryMetadata.Redirect
    let next: TransportRequest
    /// The way to the redirect.
    let route: Route

    init(redirect: EntryMetadata.Redirect, next: TransportRequest, route: Route) {
      self.redirect = redirect
      self.next = next
      self.route = route
    }
  }

  /// Sets the validators of the stored response and the fields that request the rest of a partial body. They hold for the
  /// URL alone that their response came from: that of another is another representation, perhaps with an equal tag.
  mutating func setConditions(of original: HTTPRequest) {
    let (stored, partial) = (original.stored, original.partial)
    if stored == nil, partial == nil { return }
    let validators = stored.map { leads(to: $0) ? original.validators : HTTPHeaders() } ?? HTTPHeaders()
    let range = partial.map { leads(to: $0.metadata) ? $0.requestFields : HTTPHeaders() } ?? HTTPHeaders()
    (isConditional, isResumed) = (validators.isConditional, range["Range"] != nil)
    // Without them the fields are those of the image request.
    let names = ["If-None-Match", "If-Modified-Since"] + (partial?.requestFields.fields.map(\.name) ?? [])
    for name in names {
      request.headers[name] = range[name] ?? validators[name] ?? original.headers[name]
    }
  }

  /// The stored redirect that leads on from here and is fresh, so that this URL need not be requested; `nil` without one.
  func storedHop(of original: HTTPRequest, rules: HTTPCacheRules, at now: Date) -> Hop? {
    let (stored, count) = (original.stored?.redirects ?? [], redirects.count)
    guard stored.count > count, stored.starts(with: redirects),
      rules.isFresh(stored[count], requestHeaders: request.headers, at: now),
      let next = try? Redirect.next(after: request, status: stored[count].status, headers: stored[count].headers)
    else { return nil }
    return Hop(redirect: stored[count], next: next, route: self)
  }

  /// The head of the stored response if redirects lead to it and it is fresh itself, so that it need not be requested.
  func storedHead(of original: HTTPRequest, rules: HTTPCacheRules, at now: Date) -> EntryMetadata? {
    guard var head = original.stored, leads(to: head) else { return nil }
    head.redirects = []
    guard rules.verdict(on: head, requestHeaders: request.headers, at: now) == .fresh else { return nil }
    head.redirects = redirects
    return head
  }

  /// Whether the request is for the URL that a response came from: the URL of the load, which may be signed anew each
  /// time, or that to which the same redirects led.
  private func leads(to response: EntryMetadata) -> Bool {
    redirects.isEmpty && response.redirects.isEmpty
      || response.url?.absoluteString == request.url.withoutCredentials.absoluteString
  }
}
