import HalcyonSupport
import Foundation

/// Cancels a load that takes longer than its timeout. Alternatives and retries count, waiting for a connection does
/// not.
struct Timeout: LoadStep {
  private let limit: Duration
  private let sourceURL: URL
  private let time: any TimeSource

  /// `nil` if the request has no timeout.
  init?(_ load: Load, _ time: any TimeSource) {
    guard let limit = load.request.timeout else { return nil }
    self.limit = limit
    sourceURL = load.keys.fetch.sourceURL
    self.time = time
  }

  func load<Value: LoadResult>(
    _ load: Load, _ next: @escaping LoadFunction<Value>, direct: @escaping LoadFunction<Value>
  ) async throws(ImageError) -> Value {
    let counted = CountedTime(time)
    load.subscription.count(in: counted)
    let first = await withTaskGroup(of: Result<Value, ImageError>.self) { group in
      group.addTask {
        do throws(ImageError) { return .success(try await next(load)) } catch { return .failure(error) }
      }
      group.addTask {
        do { try await counted.waitUntil(limit.clamped) } catch { return .failure(.cancelled) }
        return .failure(.timedOut(limit, url: sourceURL))
      }
      defer { group.cancelAll() }
      return await group.next() ?? .failure(.cancelled)
    }
    return try first.get()
  }
}
