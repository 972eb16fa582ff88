import HalcyonSupport
public import HalcyonCache
import Foundation

/// The system's files, save for the calls that a test makes fail.
///
/// ```swift
/// let files = FailingFileSystem()
/// let cache = DiskCache(directory: folder, fileSystem: files)
/// files.fail(call: 3, with: .error(ENOSPC))
/// await #expect(throws: DiskCacheError.self) { try await cache.store(entry, for: "a") }
/// ```
public final class FailingFileSystem: FileSystem {
  /// What happens to a call that fails.
  public enum Failure: Hashable, Sendable {
    /// Nothing is done, and `errno` is this.
    case error(Int32)
    /// A read or a write moves half of the bytes, which is no error; other calls are let through.
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

  /// Creates a file system in which nothing fails yet.
  public init() {}

  /// Calls since the last change of what fails.
  public var callCount: Int { state.withLock(\.callCount) }

  /// Whether a call failed, or was cut short, since the last change of what fails.
  public var hasFailed: Bool { state.withLock(\.hasFailed) }

  /// Makes one of the next calls fail, once.
  ///
  /// - Parameters:
  ///   - number: Which one; the next call is 1.
  ///   - failure: What becomes of it.
  public func fail(call number: Int, with failure: Failure) {
    state.withLock { $0 = State(plan: (number, failure)) }
  }

  /// Makes all calls of some kinds fail from now on.
  public func fail(all kinds: Set<FileSystemCall>, with failure: Failure) {
    state.withLock { $0 = State(kinds: Dictionary(uniqueKeysWithValues: kinds.map { ($0, failure) })) }
  }

  /// Lets all calls through from now on.
  public func heal() {
    state.withLock { $0 = State() }
  }

  /// Makes the call, or fails it.
  public func perform(_ call: FileSystemCall, byteCount: Int, _ body: (_ byteCount: Int) -> Int) -> Int {
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
