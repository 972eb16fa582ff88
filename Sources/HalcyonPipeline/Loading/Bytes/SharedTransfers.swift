import HalcyonCache
import HalcyonHTTP
import HalcyonSupport

/// Loads of the same bytes by different rules, for the store, for freshness or for decoding. If they need the same
/// request, one of them sends it.
///
/// The others wait for the job of that load like its callers, so that it goes on for them when its callers leave. Then each
/// treats the response by its own rules.
extension CachingLoader {
  /// The response to a request, from a transfer of another load if one is in flight.
  func transferred(_ request: HTTPRequest) async throws(ImageError) -> HTTPResponse {
    let transfer = SharedTransfer(request)
    while let other = transfers.begin(transfer) {
      if let result = try await result(of: other, for: request) { return result }
    }
    do throws(ImageError) {
      let result = try await http.load(request)
      transfers.end(transfer, .success(result))
      return result
    } catch {
      transfers.end(transfer, .failure(error))
      throw error
    }
  }

  /// The result of a transfer of another load; `nil` if this load cannot use it.
  @inline(never)
  private func result(of transfer: SharedTransfer, for request: HTTPRequest) async throws(ImageError) -> HTTPResponse? {
    let (load, other) = (request.load, transfer.request.load)
    request.answered = await image(
      of: other, load.subscription, hasSameDecoder: transfer.request.decoderID == request.decoderID)
    if Task.isCancelled { throw .cancelled }
    switch transfer.outcome {
    case nil, .failure(.cancelled):
      // The load of the transfer was cancelled.
      transfers.end(transfer, .failure(.cancelled))
      return nil
    case .failure(let error):
      if error.isOfDecoder, transfer.request.decoderID != request.decoderID { return nil }
      if load.resolved.storeAccess.writes, !other.resolved.storeAccess.writes, let partial = transfer.request.partial {
        await http.partialBodies(of: load)?.store(partial)
      }
      throw error
    case .success(let response):
      return transfer.request.decoderID == request.decoderID ? response : try inspected(response, for: request)
    }
  }

  /// Waits for the end of another load's job; `nil` if it fails, or has ended.
  private func image(
    of other: Load, _ subscription: LoadSubscription, hasSameDecoder: Bool
  ) async -> EncodedImage? {
    let waiting = LoadSubscription(priority: subscription.priority) { event in
      switch event {
      case .progress, .queue, .step: subscription.report(event)
      case .info, .partial: if hasSameDecoder { subscription.report(event) }
      case .preview, .storedStale, .stale: break
      }
    }
    if hasSameDecoder, subscription.wantsPartialData { waiting.requestPartialData() }
    let observer = subscription.observePriority { waiting.priority = subscription.priority }
    defer { subscription.stopObserving(observer) }
    waiting.priority = subscription.priority
    return try? await jobs.value(
      for: jobKey(of: other.request, other.watch), subscription: waiting, keepsResult: true, joining: other.subscription
    )
  }

  /// A response that another decoder has inspected, inspected by the decoder of the request.
  private func inspected(_ response: HTTPResponse, for request: HTTPRequest) throws(ImageError) -> HTTPResponse {
    guard let (data, _) = response.image else { return response }
    let metadata = response.metadata
    let inspector = configuration.inspector(
      of: metadata.url ?? request.url, contentType: metadata.headers["Content-Type"], for: request.load.request)
    do throws(ImageError) {
      return HTTPResponse((data, try inspector.info(of: data)), metadata, isStorable: response.isStorable)
    } catch {
      http.remember(error, for: request.failureKey, after: metadata.redirects)
      throw error
    }
  }
}

/// A transfer in flight, and what its request is for.
final class SharedTransfer: Sendable {
  /// Identifies a request as it is sent: equal keys get the same response.
  struct Key: Hashable {
    let job: JobKey<TransferKey>
    /// The fields that the cache adds.
    let fields: [HTTPHeaders.Field]
    /// Whether stored redirects may be followed.
    let hasStored: Bool
    /// Whether an earlier download is resumed.
    let isResumed: Bool

    func hash(into hasher: inout Hasher) { hasher.combine(job) }
  }

  let request: HTTPRequest
  let key: Key
  private let state = Lock<Result<HTTPResponse, ImageError>?>(nil)

  init(_ request: HTTPRequest) {
    self.request = request
    let load = request.load
    key = Key(
      job: JobKey(load.key, load.request, after: load.watch.removals.ofStore), fields: request.cacheFields.fields,
      hasStored: request.stored != nil, isResumed: request.resumesDownload)
  }

  /// `nil` while it is in flight.
  var outcome: Result<HTTPResponse, ImageError>? { state.withLock { $0 } }

  fileprivate func end(_ outcome: Result<HTTPResponse, ImageError>) { state.withLock { $0 = outcome } }
}

/// The transfers in flight that several loads may share.
final class SharedTransfers: Sendable {
  private let transfers = Lock<[SharedTransfer.Key: SharedTransfer]>([:])

  /// Begins a transfer, unless one for the same request is in flight, which is returned.
  func begin(_ transfer: SharedTransfer) -> SharedTransfer? {
    transfers.withLock { transfers in
      if let other = transfers[transfer.key] { return other }
      transfers[transfer.key] = transfer
      return nil
    }
  }

  func end(_ transfer: SharedTransfer, _ outcome: Result<HTTPResponse, ImageError>) {
    transfers.withLock { transfers in
      transfer.end(outcome)
      if transfers[transfer.key] === transfer { transfers[transfer.key] = nil }
    }
  }
}

extension HTTPRequest {
  fileprivate var decoderID: String? { optionsBox?.options.decoderHook?.identity }
}

extension ImageError {
  /// Whether another decoder may accept the bytes.
  fileprivate var isOfDecoder: Bool {
    switch self {
    case .notAnImage, .decoding: true
    default: false
    }
  }
}
