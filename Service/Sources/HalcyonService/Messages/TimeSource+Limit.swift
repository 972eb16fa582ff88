import Halcyon
import HalcyonSupport

extension TimeSource {
  /// Runs `body`, and cancels it after some time.
  ///
  /// - Parameter error: Called then: the error to throw; `nil` lets `body` go on.
  func limiting<Result: Sendable>(
    to limit: Duration, orThrow error: @escaping @Sendable () -> (any Error)?,
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await sleep(for: limit)
        if let error = error() { throw error }
        return nil
      }
      defer { group.cancelAll() }
      while let result = try await group.next() {
        if let result { return result }
      }
      throw CancellationError()
    }
  }
}
