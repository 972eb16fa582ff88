import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonSupport

/// The body of a response: read, validated, and remembered as far as it came when the transfer is interrupted.
extension HTTPAttempt {
  /// - Parameter partial: The first bytes of the body, if the response is the rest of it.
  func body(
    of reply: HTTPReply, with permit: ConnectionLimiter.Permit, continuing partial: PartialBody? = nil
  ) async throws(ImageError) -> HTTPResponse {
    try await validate(reply, with: permit)
    let metadata = metadata(of: reply, continuing: partial)
    var reader = BodyReader(
      reply.response, url: reply.request.url, continuing: partial, decoder: request.optionsBox?.options.decoder,
      by: loader)
    let isResumable = reply.route.isStorable && request.content == nil
    let usesETags = load.request.revalidatesByETag
    func partialBody(_ data: Data) -> PartialBody? {
      isResumable
        ? partial?.extended(to: data) ?? PartialBody(data: data, metadata: metadata, usesETags: usesETags) : nil
    }
    do throws(ImageError) {
      let info = try await reader.readAll(
        of: reply.response.body, for: load, transform: transform(of: reply.head)
      ) { data in
        guard load.request.writesStore, let partial = partialBody(data) else { return }
        await loader.partialBodies(for: request).store(partial, for: load.key)
      }
      return HTTPResponse(data: reader.data, info: info, metadata: metadata, isStorable: reply.route.isStorable)
    } catch {
      if reply.response.status < 300 { request.partial = error.allowsResuming ? partialBody(reader.data) : nil }
      throw error
    }
  }

  /// The image in the body of an error status, which expires with the lifetime that the response has; `nil` if the request
  /// does not allow it, or the body is not an image.
  func errorImage(of reply: HTTPReply, with permit: ConnectionLimiter.Permit) async -> HTTPResponse? {
    guard load.request.acceptsErrorImage, reply.response.status >= 300, reply.response.status != 304,
      let response = try? await body(of: reply, with: permit)
    else { return nil }
    var metadata = response.metadata
    let lifetime = configuration.httpCaching.remainingExplicitLifetime(of: metadata, at: metadata.responseDate)
    metadata.expiration = lifetime > 0 ? .date(metadata.responseDate.addingTimeInterval(lifetime)) : .expired
    return HTTPResponse(
      data: response.data, info: response.info, metadata: metadata, isStorable: response.isStorable && lifetime > 0)
  }

  /// The metadata of a resumed body is that of its first response, updated by the second.
  func metadata(of reply: HTTPReply, continuing partial: PartialBody?) -> EntryMetadata {
    let now = configuration.time.now()
    let headers = reply.response.headers.storable
    var metadata =
      if let partial {
        partial.metadata.refreshed(by: headers, requestDate: reply.sent, responseDate: now) ?? partial.metadata
      } else {
        EntryMetadata(
          url: reply.request.url.withoutCredentials, status: reply.response.status, headers: headers,
          requestDate: reply.sent, responseDate: now)
      }
    metadata.redirects = reply.route.redirects
    return metadata
  }
}

extension HTTPHeaders {
  /// The fields that may be written to disk: none that identify a user.
  fileprivate var storable: HTTPHeaders {
    guard self["Set-Cookie"] != nil || self["Set-Cookie2"] != nil else { return self }
    return filter { !["set-cookie", "set-cookie2"].contains($0.name.lowercased()) }
  }
}
