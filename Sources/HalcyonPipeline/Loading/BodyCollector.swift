import HalcyonSupport
import HalcyonImaging
import HalcyonHTTP
import Foundation

/// Reads one body to its end: counted, sniffed and probed while it arrives, refused as early as possible.
struct BodyCollector {
  /// What is held when it is this much is kept on disk once, and again at each doubling: so much may be lost to a crash.
  private static let firstCheckpoint = 8 << 20

  private(set) var data: Data
  private let url: URL
  private let byteLimit: Int
  private let expected: Int?
  private var inspector: ImageInspector
  private var meter: ProgressMeter
  private let time: any TimeSource
  private var nextCheckpoint: Int

  /// - Parameter partial: The beginning of the body, where the answer is the rest of it.
  init(
    _ response: TransportResponse, url: URL, continuing partial: PartialBody?, by web: RetryingHTTPLoader
  ) {
    data = partial?.data ?? Data()
    self.url = url
    byteLimit = web.configuration.limits.encodedByteCount
    expected = response.expectedByteCount.map { $0.addingReportingOverflow(partial?.data.count ?? 0).partialValue }
    inspector = web.configuration.inspector(of: url, contentType: response.headers["Content-Type"])
    time = web.configuration.time
    meter = ProgressMeter(
      interval: web.configuration.progressInterval, earlierByteCount: data.count, now: time.uptime())
    nextCheckpoint = max(Self.firstCheckpoint, data.count * 2)
  }

  /// - Parameter checkpoint: Called now and then with what has arrived so far.
  mutating func collect(
    _ body: TransportBody, interest: LoadSubscription, checkpoint: (Data) async -> Void
  ) async throws(ImageError) -> ImageInfo {
    guard expected ?? 0 <= byteLimit else { throw .responseTooLarge(byteLimit: byteLimit, url: url) }
    while let piece = try await next(of: body) {
      guard piece.count <= byteLimit - data.count else { throw .responseTooLarge(byteLimit: byteLimit, url: url) }
      add(piece)
      try inspect(for: interest)
      report(to: interest, isLast: false)
      if data.count >= nextCheckpoint {
        nextCheckpoint = data.count * 2
        await checkpoint(data)
      }
    }
    if let expected, data.count < expected {
      throw .transport(.connectionLost(received: data.count, expected: expected), url: url)
    }
    guard !data.isEmpty else { throw .emptyResponse(url) }
    report(to: interest, isLast: true)
    return try inspector.info(of: data)
  }

  private mutating func add(_ piece: Data) {
    // A small body comes in one piece, which need not be copied.
    if data.isEmpty, piece.count == expected { return data = piece }
    if data.isEmpty { data.reserveCapacity(min(expected ?? 0, 4 << 20)) }
    data.append(piece)
  }

  private mutating func report(to interest: LoadSubscription, isLast: Bool) {
    let progress = meter.report(received: data.count, expected: expected, isLast: isLast, now: time.uptime())
    guard let progress else { return }
    interest.report(.progress(progress))
    // Whoever keeps the bytes makes the next piece copy them: they are offered as seldom as progress is.
    if !isLast, let info = inspector.info, interest.wantsPartialData { interest.report(.partial(data, info)) }
  }

  private mutating func inspect(for interest: LoadSubscription) throws(ImageError) {
    let wasKnown = inspector.info != nil
    try inspector.inspect(data, isWhole: data.count == expected)
    if !wasKnown, let info = inspector.info { interest.report(.info(info)) }
  }

  private func next(of body: TransportBody) async throws(ImageError) -> Data? {
    do {
      return try await body.makeAsyncIterator().next()
    } catch {
      throw ImageError(transferring: url, error)
    }
  }
}
