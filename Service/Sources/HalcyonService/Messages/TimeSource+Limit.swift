import Halcyon
import HalcyonSupport

extension TimeSource {
  /// Runs `body`, and cancels it after some time.
  ///
  /// - Parameters:
  ///   - error: Called when the time is over, and returns the error to throw; `nil` lets `body` go on.
  ///   - interval: The time after which `error` is called again; `nil` is never.
  func limiting<Result: Sendable>(
    to limit: Duration, orThrow error: @escaping @Sendable () -> (any Error)?, every interval: Duration? = nil,
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        try await sleep(for: limit)
        while true {
          if let error = error() { throw error }
          guard let interval else { return nil }
          try await sleep(for: interval)
        }
      }
      defer { group.cancelAll() }
      while let result = try await group.next() {
        if let result { return result }
      }
      throw CancellationError()
    }
  }
}
