import HalcyonSupport
package import HalcyonCache
import Foundation

/// The system's file system with injected failures, for tests.
package final class FailingFileSystem: FileSystem {
  /// How a call fails.
  package enum Failure: Hashable, Sendable {
    /// The call does nothing and sets `errno` to this value.
    case error(Int32)
    /// A read or write transfers half of the bytes, which is not an error; other calls succeed.
    case shortTransfer
  }

  private struct State {
    var plan: (number: Int, failure: Failure)?
    var kinds: [FileSystemCall: Failure] = [:]
    var callCount = 0
    var hasFailed = false
  }

  private let state = Lock(State())
  private let system = SystemFiles()

  /// Creates a file system without failures.
  package init() {}

  /// The calls made since the failures were last set or cleared.
  package var callCount: Int { state.withLock(\.callCount) }

  /// Whether a call failed or was short since the failures were last set or cleared.
  package var hasFailed: Bool { state.withLock(\.hasFailed) }

  /// Makes one future call fail, once; replaces all earlier failures.
  ///
  /// - Parameters:
  ///   - number: The number of the call, counted from 1 for the next one.
  ///   - failure: How it fails.
  package func fail(call number: Int, with failure: Failure) {
    state.withLock { $0 = State(plan: (number, failure)) }
  }

  /// Makes all future calls of the given kinds fail; replaces all earlier failures.
  package func fail(all kinds: Set<FileSystemCall>, with failure: Failure) {
    state.withLock { $0 = State(kinds: Dictionary(uniqueKeysWithValues: kinds.map { ($0, failure) })) }
  }

  /// Clears all failures: future calls succeed.
  package func clearFailures() {
    state.withLock { $0 = State() }
  }

  /// Performs the call, or fails as set.
  package func perform(_ call: FileSystemCall, byteCount: Int, _ body: (_ byteCount: Int) -> Int) -> Int {
    let failure: Failure? = state.withLock { state in
      state.callCount += 1
      var failure = state.kinds[call]
      if let plan = state.plan, plan.number == state.callCount { failure = plan.failure }
      if failure == .shortTransfer, byteCount < 2 { failure = nil }
      if failure != nil { state.hasFailed = true }
      return failure
    }
    switch failure {
    case nil: return system.perform(call, byteCount: byteCount, body)
    case .shortTransfer: return system.perform(call, byteCount: byteCount / 2, body)
    case .error(let code):
      errno = code
      return -1
    }
  }
}
