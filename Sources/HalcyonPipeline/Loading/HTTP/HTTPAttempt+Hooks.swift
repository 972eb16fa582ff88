import Foundation
import HalcyonHTTP
import HalcyonSupport

/// The caller's closures around a transfer, with their errors typed.
extension HTTPAttempt {
  var modifier: (any RequestModifier)? { request.optionsBox?.options.requestModifier }

  func modified(_ unmodified: TransportRequest) async throws(ImageError) -> TransportRequest {
    guard let modifier else { return unmodified }
    do {
      let modified = try await modifier.modify(unmodified)
      try Task.checkCancellation()
      return modified
    } catch {
      throw ImageError(requesting: unmodified.url, error) { .requestRejected(cause: $0, url: $1) }
    }
  }

  /// Whether a request may wait for its permit, if the modifier limits that.
  func admit(_ url: URL) throws(ImageError) {
    guard let admission = modifier as? any RequestAdmission else { return }
    do {
      try admission.admit(url)
    } catch {
      throw ImageError(requesting: url, error) { .requestRejected(cause: $0, url: $1) }
    }
  }

  func acceptedByHandler(
    _ next: TransportRequest, after current: TransportRequest
  ) async throws(ImageError) -> TransportRequest {
    guard let handler = request.optionsBox?.options.redirectHandler else { return next }
    do {
      if let accepted = try await handler(current.url, next) {
        try Task.checkCancellation()
        return accepted
      }
    } catch {
      throw ImageError(requesting: current.url, error) { .requestRejected(cause: $0, url: $1) }
    }
    throw .redirectRejected(to: next.url.printable, from: current.url)
  }

  /// Runs the validator without a permit, so that it may load from the same host; reading the body takes a permit
  /// again.
  func validate(_ reply: HTTPReply) async throws(ImageError) {
    guard let validator = request.optionsBox?.options.responseValidator else { return }
    let exchange = reply.exchange
    let wasInUse = exchange.permit.release()
    do {
      try await validator(reply.head)
    } catch {
      throw ImageError(requesting: reply.request.url, error) { .responseRejected(cause: $0, url: $1) }
    }
    guard wasInUse else { return }
    do throws(ImageError) {
      try await exchange.permit.acquire(exchange.target, load.subscription)
    } catch .cancelled where !Task.isCancelled {
      // The permit is not needed any more: the transfer has ended, and all bytes have been received.
    }
  }

  /// The transform of the request, with its errors typed.
  func transform(of head: ResponseHead) -> BodyReader.Transform? {
    guard let transform = request.optionsBox?.options.dataTransform else { return nil }
    return { data throws(ImageError) in
      do {
        return try await transform(data, head)
      } catch {
        throw ImageError(requesting: head.url, error) { .responseRejected(cause: $0, url: $1) }
      }
    }
  }
}
