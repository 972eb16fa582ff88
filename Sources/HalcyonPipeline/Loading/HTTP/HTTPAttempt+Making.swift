import Foundation
import HalcyonHTTP
import HalcyonSupport

/// Requests that closures of the caller make: the resolver of the URL, and the modifier. What they make may expire, for
/// example a signature, so it is made in each attempt, once the request has its permit.
extension HTTPAttempt {
  var isMadeByClosures: Bool { modifier != nil || request.resolver != nil }

  @inline(never)
  func startMaking() async throws(ImageError) -> Step {
    // A fresh redirect needs no permit.
    let hasRedirects = request.stored?.redirects.isEmpty == false
    let made = request.target == nil || hasRedirects ? try await madeRoute(withPermit: false) : nil
    if let hop = made.flatMap(storedHop) { return .follow(hop) }
    guard let target = request.target else { throw .invalidURL(request.url.absoluteString) }
    try admit(target.url)
    return .send(
      try await exchange(on: made, to: target) { () async throws(ImageError) in
        try await madeRoute(withPermit: true)
      })
  }

  private func madeRoute(withPermit: Bool) async throws(ImageError) -> Route {
    guard let resolver = request.resolver else { return try await made(route(to: request.url), withPermit: withPermit) }
    let resolved = try await LoadChain.calling(for: request.link, withPermit: withPermit) {
      () async throws(ImageError) in
      try await resolver.resolvedURL()
    }
    // Otherwise it is the same URL with another signature, for the pauses of its host.
    if request.origin != resolved.origin { request.target = resolved }
    return try await made(route(to: resolved.url), withPermit: withPermit)
  }

  /// A route with the request as the modifier changes it.
  func made(_ route: Route, withPermit: Bool) async throws(ImageError) -> Route {
    var made = route
    made.request = try await LoadChain.calling(for: request.link, withPermit: withPermit) {
      () async throws(ImageError) in
      try await modified(route.request)
    }
    made.isStorable = route.isStorable && isStorable(made.request)
    return made
  }

  /// Prepares an exchange, and waits for its permit.
  ///
  /// - Parameters:
  ///   - made: The route, if it has been made.
  ///   - target: The URL for which to wait.
  ///   - make: Makes the route after the wait.
  func exchange(
    on made: Route?, to target: HTTPURL, making make: () async throws(ImageError) -> Route
  ) async throws(ImageError) -> HTTPExchange {
    var (made, target, hopCount) = (made, target, 0)
    while true {
      let permit = loader.limiter.newPermit()
      let start = ContinuousClock.now
      let hasWaited = try await permit.acquire(target, load.subscription)
      load.record { $0.add(.queue, since: start) }
      do throws(ImageError) {
        // A modifier that changes the host each time does not keep its load from being sent.
        let kept = hasWaited && hopCount < 3 ? nil : made
        let route = if let kept { kept } else { try await Self.route(with: permit, make) }
        if Task.isCancelled { throw .cancelled }
        let next = try self.target(of: route)
        if next.origin == target.origin {
          try loader.admit(request).get()
          let transfer = transfer(on: route, permit)
          transfer?.receive(.success(()))
          return HTTPExchange(on: route, to: target, permit: permit, transfer: transfer, hasWaited: hasWaited)
        }
        (made, target, hopCount) = (route, next, hopCount + 1)
      } catch {
        permit.release()
        throw error
      }
      permit.release()
    }
  }

  /// Makes a route. A closure that ignores the cancellation of its load keeps no connection from others.
  private static func route(
    with permit: ConnectionLimiter.Permit, _ make: () async throws(ImageError) -> Route
  ) async throws(ImageError) -> Route {
    let result: Result<Route, ImageError> = await withTaskCancellationHandler {
      do throws(ImageError) { return .success(try await make()) } catch { return .failure(error) }
    } onCancel: {
      permit.release()
    }
    return try result.get()
  }
}
