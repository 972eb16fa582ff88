import Foundation
@_spi(Programs) import HalcyonSupport
public import Testing

/// Lets a few tests run at once, and gives each a time limit that begins when it runs.
///
/// Swift Testing starts all tests at once and counts the time that a test waits for a thread: on two cores a test of a
/// millisecond takes minutes then. A test that exceeds its limit is cancelled and fails; one that ignores that for half a
/// minute ends the run, which names it. The variable `HALCYON_TEST_PATIENCE` multiplies all limits, for sanitizers and
/// busy machines.
public struct TestLimit: TestTrait, SuiteTrait, TestScoping {
  private static let permits = Permits(limit: max(8, ProcessInfo.processInfo.activeProcessorCount * 4))
  private static let patience = ProcessInfo.processInfo.environment["HALCYON_TEST_PATIENCE"].flatMap { Int($0) } ?? 1

  let seconds: Int

  package init(seconds: Int) { self.seconds = seconds }

  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await Self.permits.acquire()
    defer { Self.permits.release() }
    try await limit(test, body)
  }

  /// Runs a test that has a permit.
  package func limit(_ test: Test, _ body: @concurrent @Sendable () async throws -> Void) async throws {
    let limit = seconds * Self.patience
    try await withoutActuallyEscaping(body) { body in
      let task = Task { try await body() }
      let watch = Watchdog.shared.watch("“\(test.displayName ?? test.name)” in \(test.sourceLocation)", seconds: limit)
      {
        task.cancel()
      }
      defer {
        if Watchdog.shared.end(watch) { Issue.record("The test took longer than \(limit) seconds.") }
      }
      try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }
}

extension Trait where Self == TestLimit {
  /// For suites whose tests take milliseconds: a minute for each test.
  public static var unitTest: Self { Self(seconds: 60) }

  /// For suites that wait for processes, sockets or large images: three minutes for each test.
  public static var integrationTest: Self { Self(seconds: 180) }
}

extension Trait where Self == ConditionTrait {
  /// For tests that take seconds: `make check` leaves them to `make test`.
  public static var slow: Self {
    .disabled(if: ProcessInfo.processInfo.environment["HALCYON_QUICK"] == "1", "slow: only `make test` runs it")
  }
}

/// A thread that watches the running tests, since a test that hangs may hold the threads of tasks.
private final class Watchdog: Sendable {
  private struct Watched {
    let name: String
    let deadline: ContinuousClock.Instant
    let onExpiry: @Sendable () -> Void
    var hasExpired = false
  }

  static let shared = Watchdog()
  private let tests = Lock<(last: Int, running: [Int: Watched])>((0, [:]))

  private init() {
    Thread { [self] in
      while true {
        Thread.sleep(forTimeInterval: 1)
        check()
      }
    }.start()
  }

  func watch(_ name: String, seconds: Int, onExpiry: @escaping @Sendable () -> Void) -> Int {
    tests.withLock { tests in
      tests.last += 1
      tests.running[tests.last] = Watched(name: name, deadline: .now + .seconds(seconds), onExpiry: onExpiry)
      return tests.last
    }
  }

  /// Ends watching a test, and returns whether it had exceeded its limit.
  func end(_ id: Int) -> Bool {
    tests.withLock { $0.running.removeValue(forKey: id)?.hasExpired == true }
  }

  private func check() {
    let now = ContinuousClock.now
    let expired = tests.withLock { tests in
      let late = tests.running.filter { !$0.value.hasExpired && $0.value.deadline < now }
      for id in late.keys { tests.running[id]?.hasExpired = true }
      return late.values.map(\.onExpiry)
    }
    for onExpiry in expired { onExpiry() }
    let hanging = tests.withLock { $0.running.values.filter { $0.deadline + .seconds(30) < now }.map(\.name) }
    guard !hanging.isEmpty else { return }
    FileHandle.standardError.write(Data("These tests hang: \(hanging.joined(separator: ", "))\n".utf8))
    // Without the handlers of `exit`, which may wait for what hangs.
    _exit(1)
  }
}
