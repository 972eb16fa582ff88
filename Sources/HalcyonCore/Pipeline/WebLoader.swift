import Foundation

/// Loads one body over the network: waits for its turn, follows redirects, and checks while the bytes arrive.
final class WebLoader: Sendable {
  /// A whole body that looks like an image.
  struct Answer: Sendable {
    var data: Data
    var info: ImageInfo
    var metadata: EntryMetadata
  }

  private let configuration: ImagePipeline.Configuration
  private let gate: ConnectionGate

  init(configuration: ImagePipeline.Configuration) {
    self.configuration = configuration
    gate = ConnectionGate(
      limit: configuration.connectionLimit, limitPerHost: configuration.connectionLimitPerHost)
  }

  /// Transfers that go on now.
  var activeCount: Int { gate.activeCount }

  func load(
    _ url: URL, headers: HTTPHeaders, interest: LoadInterest, trace: inout LoadTrace
  ) async throws(ImageError) -> Answer {
    var request = TransportRequest(url: url, headers: merged(headers), limits: configuration.transportLimits)
    for _ in 0...configuration.redirectLimit {
      let (answer, redirect, finished) = try await exchange(request, interest: interest, trace: trace)
      trace = finished
      if let answer { return answer }
      if let redirect { request = redirect }
    }
    throw .tooManyRedirects(limit: configuration.redirectLimit, url: url)
  }

  private func exchange(
    _ request: TransportRequest, interest: LoadInterest, trace: LoadTrace
  ) async throws(ImageError) -> (Answer?, TransportRequest?, LoadTrace) {
    guard let origin = WebOrigin(request.url) else { throw .invalidURL(request.url.absoluteString) }
    let queued = ContinuousClock.now
    return try await gate.run(for: origin, interest: interest) { () async throws(ImageError) in
      var trace = trace
      trace.add(.queue, since: queued)
      let start = ContinuousClock.now
      let sent = configuration.time.now()
      let response = try await self.response(to: request)
      let next = try Redirect.next(after: request, status: response.status, headers: response.headers)
      var answer: Answer?
      if next == nil {
        let metadata = EntryMetadata(
          url: request.url.withoutCredentials, status: response.status, headers: response.headers.storable,
          requestDate: sent,
          responseDate: configuration.time.now())
        let (data, info) = try await collect(response, url: request.url, interest: interest)
        answer = Answer(data: data, info: info, metadata: metadata)
      }
      trace.add(.transfer, since: start)
      trace.transfer = response.body.transferTimings
      return (answer, next, trace)
    }
  }

  private func response(to request: TransportRequest) async throws(ImageError) -> TransportResponse {
    do {
      return try await configuration.transport.response(to: request)
    } catch {
      throw ImageError(transferring: request.url, error)
    }
  }

  private func collect(
    _ response: TransportResponse, url: URL, interest: LoadInterest
  ) async throws(ImageError) -> (Data, ImageInfo) {
    // A part that nobody asked for is not the image.
    guard (200..<300).contains(response.status), response.status != 206 else {
      throw .httpStatus(response.status, url: url)
    }
    let limit = configuration.limits.encodedByteCount
    let expected = response.expectedByteCount
    guard expected ?? 0 <= limit else { throw .responseTooLarge(byteLimit: limit, url: url) }
    var inspector = ImageInspector(configuration, url: url, contentType: response.headers["Content-Type"])
    var data = Data()
    data.reserveCapacity(min(expected ?? 0, 4 << 20))
    while let piece = try await next(of: response.body, url: url) {
      guard piece.count <= limit - data.count else { throw .responseTooLarge(byteLimit: limit, url: url) }
      data.append(piece)
      try inspector.inspect(data)
      interest.report(LoadProgress(receivedByteCount: data.count, expectedByteCount: expected))
    }
    if let expected, data.count < expected {
      throw .transport(.connectionLost(received: data.count, expected: expected), url: url)
    }
    guard !data.isEmpty else { throw .emptyResponse(url) }
    return (data, try inspector.info(of: data))
  }

  private func next(of body: TransportBody, url: URL) async throws(ImageError) -> Data? {
    do {
      return try await body.makeAsyncIterator().next()
    } catch {
      throw ImageError(transferring: url, error)
    }
  }

  private func merged(_ headers: HTTPHeaders) -> HTTPHeaders {
    var all = headers
    for field in configuration.headers.fields where all[field.name] == nil {
      all.add(name: field.name, value: field.value)
    }
    return all
  }
}

extension ImageError {
  fileprivate init(transferring url: URL, _ error: any Error) {
    switch error {
    case is CancellationError, TransportError.cancelled: self = .cancelled
    case let error as TransportError: self = .transport(error, url: url)
    default: self = Task.isCancelled ? .cancelled : .failed(cause: error, url: url)
    }
  }
}

extension HTTPHeaders {
  /// What may be written to disk: not what identifies a user.
  fileprivate var storable: HTTPHeaders {
    filter { !["set-cookie", "set-cookie2"].contains($0.name.lowercased()) }
  }
}
