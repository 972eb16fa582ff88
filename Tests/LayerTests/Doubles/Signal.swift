import HalcyonHTTP
import HalcyonSupport
import HalcyonImaging
import HalcyonCache
import Foundation

/// An event that happens once and can be awaited.
final class Signal: Sendable {
  private struct State {
    var isSet = false
    var waiters: [CheckedContinuation<Void, Never>] = []
    var watchers: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())

  func set() {
    let waiters = state.withLock { state in
      state.isSet = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let (isSet, watchers) = state.withLock { state in
        if !state.isSet { state.waiters.append(continuation) }
        defer { state.watchers = [] }
        return (state.isSet, state.watchers)
      }
      for watcher in watchers { watcher.resume() }
      if isSet { continuation.resume() }
    }
  }

  /// Waits until another task waits for the signal.
  func waitForWaiter() async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.waiters.isEmpty { state.watchers.append(continuation) }
        return !state.waiters.isEmpty
      }
      if isThere { continuation.resume() }
    }
  }
}

/// Blocks threads until it is opened.
///
/// Unchecked: `isOpen` is touched only while `condition` is locked.
final class ThreadGate: @unchecked Sendable {
  private let condition = NSCondition()
  private var isOpen = false

  func open() {
    condition.withLock {
      isOpen = true
      condition.broadcast()
    }
  }

  func wait() {
    condition.withLock {
      while !isOpen { condition.wait() }
    }
  }
}

/// A counter whose value can be awaited.
final class Counter: Sendable {
  private struct State {
    var count = 0
    var waiters: [(target: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let state = Lock(State())

  var count: Int { state.withLock(\.count) }

  func increment() {
    let ready = state.withLock { state in
      state.count += 1
      let ready = state.waiters.filter { $0.target <= state.count }
      state.waiters.removeAll { $0.target <= state.count }
      return ready
    }
    for waiter in ready { waiter.continuation.resume() }
  }

  func wait(for target: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.count < target { state.waiters.append((target, continuation)) }
        return state.count >= target
      }
      if isReached { continuation.resume() }
    }
  }
}

/// Runs `body` with a temporary folder, which is removed afterwards.
func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(
    path: "halcyon-\(UUID().uuidString)", directoryHint: .isDirectory)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder)
}

/// An image in memory whose bytes are all zero.
func solidImage(_ width: Int = 10, _ height: Int = 10) throws -> DecodedImage {
  let size = PixelSize(width: width, height: height)
  return DecodedImage(
    bitmap: try Bitmap(size: size, isOpaque: true) { _ in }, info: ImageInfo(format: .bmp, storedSize: size))
}

extension EntryMetadata {
  static let example = EntryMetadata(
    url: URL(string: "https://example.com/a.jpg"), status: 200, headers: ["ETag": "\"ä\"", "Vary": "Accept"],
    requestDate: Date(timeIntervalSince1970: 1), responseDate: Date(timeIntervalSince1970: 2.5),
    expiration: .days(3), tags: ["trip", "2026"])
}
