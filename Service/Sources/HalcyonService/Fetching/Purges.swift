import Foundation
import Halcyon
import Synchronization

/// The purges that run, and how many there have been.
///
/// While a source is purged, its loads neither read nor write the store, and share no work with those that began before.
final class Purges: Sendable {
  private struct State {
    var running: [String: Int] = [:]
    var count = 0
  }

  private let state = Mutex(State())

  /// The purges that have begun.
  var count: Int { state.withLock { $0.count } }

  /// Runs `body` as a purge of a source.
  func run<Result>(_ source: ImageSource, _ body: () async throws -> Result) async rethrows -> Result {
    let id = Self.id(source)
    state.withLock { state in
      state.count += 1
      state.running[id, default: 0] += 1
    }
    defer {
      state.withLock { state in
        let count = state.running[id, default: 1] - 1
        state.running[id] = count == 0 ? nil : count
      }
    }
    return try await body()
  }

  /// A request as it may be loaded now.
  func adapted(_ request: ImageRequest) -> ImageRequest {
    guard state.withLock({ $0.running[Self.id(request.source)] != nil }) else { return request }
    var request = request
    request.cachePolicy.readsStore = false
    request.cachePolicy.writesStore = false
    return request
  }

  private static func id(_ source: ImageSource) -> String {
    if case .url(let url) = source { url.absoluteString } else { "\(source)" }
  }
}
