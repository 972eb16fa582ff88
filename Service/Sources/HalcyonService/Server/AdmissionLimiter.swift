@_spi(Programs) import HalcyonSupport

/// Bounds the requests that are worked on, and the requests that wait.
final class AdmissionLimiter: Sendable {
  private let permits: Permits
  private let queueLength: Int

  init(limit: Int, queueLength: Int) {
    permits = Permits(limit: limit)
    self.queueLength = queueLength
  }

  /// Runs `body` once fewer requests than the limit are worked on.
  ///
  /// - Throws: ``ServiceError/queueFull`` at once if too many wait; `CancellationError`; errors of `body`.
  func run<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    do {
      try await permits.acquire(queueLimit: queueLength)
    } catch .queueFull {
      throw ServiceError.queueFull
    } catch {
      throw CancellationError()
    }
    defer { permits.release() }
    return try await body()
  }
}
