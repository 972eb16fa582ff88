import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

/// The body of a response: read and validated; the part that was received before an interruption is kept.
extension HTTPAttempt {
  /// - Parameter partial: The first bytes of the body, if the response is the rest of it.
  func body(of reply: HTTPReply, continuing partial: PartialBody? = nil) async throws(ImageError) -> HTTPResponse {
    try await validate(reply)
    let metadata = metadata(of: reply, continuing: partial)
    var reader = BodyReader(reply, continuing: partial, for: load.request, by: loader)
    let isResumable = reply.route.isStorable && request.content == nil
    let usesETags = load.resolved.usesETags
    func partialBody(_ data: Data) -> PartialBody? {
      isResumable
        ? partial?.extended(to: data) ?? PartialBody(data: data, metadata: metadata, usesETags: usesETags) : nil
    }
    do throws(ImageError) {
      let info = try await reader.readAll(
        of: reply.response.body, for: load, transform: transform(of: reply.head)
      ) { data in
        guard load.resolved.storeAccess.writes, let partial = partialBody(data) else { return }
        request.isPartialStored = true
        await loader.partialBodies(of: load)?.store(partial)
      }
      return HTTPResponse((reader.data, info), metadata, isStorable: reply.route.isStorable)
    } catch {
      if reply.response.status < 300 { request.partial = error.allowsResuming ? partialBody(reader.data) : nil }
      throw error
    }
  }

  /// The image in the body of an error status, which expires with the lifetime of the response; `nil` if the request
  /// does not allow it, or the body is not an image.
  func errorImage(of reply: HTTPReply) async -> HTTPResponse? {
    guard load.resolved.allowsErrorImage, reply.response.status >= 300, reply.response.status != 304,
      let response = try? await body(of: reply)
    else { return nil }
    var metadata = response.metadata
    let lifetime = configuration.httpCaching.remainingExplicitLifetime(of: metadata, at: metadata.responseDate)
    metadata.expiration = lifetime > 0 ? .date(metadata.responseDate.addingTimeInterval(lifetime)) : .expired
    return HTTPResponse(response.image, metadata, isStorable: response.isStorable && lifetime > 0)
  }

  /// A resumed body has the metadata of its first response, updated by the second.
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

/// Reads one response body: counts the bytes, detects the format and reads the image header as they arrive, and rejects
/// the body as early as possible.
struct BodyReader {
  /// Changes a whole body, see ``RequestOptions/dataTransform``.
  typealias Transform = (Data) async throws(ImageError) -> Data

  /// A partial body is first stored at this size in bytes or after this time, then each time it has doubled: at most half
  /// of it is lost when the process is killed.
  private static let firstCheckpoint = (byteCount: 256 << 10, time: Duration.seconds(2))

  /// The bytes of the image so far.
  private(set) var data: Data
  /// The bytes of the body so far.
  private var receivedByteCount: Int
  private let head: ResponseHead
  private var url: URL { head.url }
  private let byteLimit: Int
  /// Where the body ends, if known.
  private let expected: Int?
  /// The bytes of an earlier response that this one continues.
  private let earlierByteCount: Int
  private var inspector: ImageInspector
  private var meter: ProgressMeter
  private let time: any TimeSource
  private var nextCheckpoint: Int
  /// The uptime of a checkpoint before that size; `nil` after the first one.
  private var firstCheckpointTime: Duration?

  /// - Parameter partial: The first bytes of the body, if the response is the rest of it.
  init(
    _ reply: HTTPReply, continuing partial: PartialBody?, for request: ImageRequest, by loader: HTTPLoader
  ) {
    let configuration = loader.configuration
    data = partial?.data ?? Data()
    receivedByteCount = data.count
    head = reply.head
    byteLimit = configuration.limits.encodedByteCount
    earlierByteCount = data.count
    let range = partial == nil ? nil : ContentRange(head.headers["Content-Range"])
    expected = range.map { $0.last + 1 } ?? reply.response.expectedByteCount
    inspector = configuration.inspector(of: head.url, contentType: head.headers["Content-Type"], for: request)
    time = configuration.time
    meter = ProgressMeter(interval: configuration.progressInterval)
    nextCheckpoint = max(Self.firstCheckpoint.byteCount, data.count * 2)
    firstCheckpointTime = partial == nil ? time.uptime() + Self.firstCheckpoint.time : nil
  }

  /// - Parameters:
  ///   - load: Receives the progress and the properties of the image.
  ///   - transform: Changes the whole body before it is inspected; `nil` if it is inspected as it arrives.
  ///   - checkpoint: Called from time to time with the bytes received so far.
  mutating func readAll(
    of body: TransportBody, for load: Load, transform: Transform?, checkpoint: (Data) async -> Void
  ) async throws(ImageError) -> ImageInfo {
    guard expected ?? 0 <= byteLimit else { throw .responseTooLarge(byteLimit: byteLimit, url: url) }
    while let piece = try await next(of: body) {
      guard piece.count <= byteLimit - receivedByteCount else {
        throw .responseTooLarge(byteLimit: byteLimit, url: url)
      }
      receivedByteCount += piece.count
      append(piece)
      try checkEnd()
      if piece.isEmpty { await Task.yield() }
      if Task.isCancelled { throw .cancelled }
      if case .none = transform { try inspect(for: load) }
      report(to: load, isLast: false)
      if isCheckpoint() { await checkpoint(data) }
    }
    if let expected, receivedByteCount < expected {
      throw .transport(.connectionLost(received: receivedByteCount, expected: expected), url: url)
    }
    guard receivedByteCount > 0 else { throw .emptyResponse(url: url) }
    report(to: load, isLast: true)
    if let transform, !data.isEmpty { data = try await transform(data) }
    guard data.count <= byteLimit else { throw .responseTooLarge(byteLimit: byteLimit, url: url) }
    guard !data.isEmpty else { throw .emptyResponse(url: url) }
    return try inspector.info(of: data)
  }

  /// Whether the bytes so far are stored now.
  private mutating func isCheckpoint() -> Bool {
    guard data.count >= nextCheckpoint || firstCheckpointTime.map({ time.uptime() >= $0 }) ?? false else {
      return false
    }
    (nextCheckpoint, firstCheckpointTime) = (data.count * 2, nil)
    return true
  }

  private mutating func append(_ piece: Data) {
    // A small body arrives in one piece, which is not copied.
    if data.isEmpty, piece.count == expected { return data = piece }
    if data.isEmpty { data.reserveCapacity(min(expected ?? 0, 4 << 20)) }
    data.append(piece)
  }

  /// A body of several parts must end where the `Content-Range` of the last one says; the transport checks other bodies.
  private func checkEnd() throws(ImageError) {
    guard earlierByteCount > 0, let expected, receivedByteCount > expected else { return }
    throw .transport(.malformedResponse(reason: "the body does not end with its Content-Range"), url: url)
  }

  private mutating func report(to load: Load, isLast: Bool) {
    let progress = meter.report(received: receivedByteCount, expected: expected, isLast: isLast, now: time.uptime())
    guard let progress else { return }
    load.subscription.report(.progress(progress))
    // While a subscriber holds the bytes, appending copies them: they are sent only as often as progress.
    if !isLast, let info = inspector.info, load.subscription.wantsPartialData {
      load.subscription.report(.partial(ReceivedBytes(data: data, info: info, head: head)))
    }
  }

  private mutating func inspect(for load: Load) throws(ImageError) {
    let wasKnown = inspector.info != nil
    try inspector.inspect(data, isWhole: data.count == expected)
    if !wasKnown, let info = inspector.info { load.subscription.report(.info(info)) }
  }

  private func next(of body: TransportBody) async throws(ImageError) -> Data? {
    do {
      return try await body.makeAsyncIterator().next()
    } catch TransportError.connectionLost(let received, let rest) {
      // The byte counts of the whole body, not of this response's part.
      throw .transport(
        .connectionLost(
          received: earlierByteCount + received, expected: rest.map { earlierByteCount + $0 }), url: url)
    } catch {
      throw ImageError(transferring: url, error)
    }
  }
}

/// Limits how often progress is reported.
struct ProgressMeter {
  private let interval: Duration
  private var lastReport: (uptime: Duration, byteCount: Int)?

  /// - Parameter interval: The shortest time between two reports.
  init(interval: Duration) { self.interval = interval }

  /// The progress to report, or `nil` if the last report is too recent.
  mutating func report(received: Int, expected: Int?, isLast: Bool, now: Duration) -> LoadProgress? {
    guard received != lastReport?.byteCount else { return nil }
    if let lastReport, !isLast, received != expected, now - lastReport.uptime < interval { return nil }
    lastReport = (now, received)
    return LoadProgress(receivedByteCount: received, expectedByteCount: expected)
  }
}
