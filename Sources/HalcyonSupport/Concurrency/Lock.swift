public import Foundation

/// State protected by a mutex, for critical sections of nanoseconds.
///
/// A `pthread_mutex_t` rather than a `Mutex`: measured on Linux, an uncontended lock and unlock takes 7 ns instead of
/// 16, throughput does not collapse with more threads than processors, and the thread sanitizer recognises it, which it
/// does not for a contended `Mutex`.
///
/// Unchecked: the state is accessed only while the mutex is locked.
///
/// Inlined and specialised in every module that uses it. For `package` members, this needs `@inlinable`, and
/// `@usableFromInline` on the type and its stored properties. `make test-release` checks the symbols.
@usableFromInline
package struct Lock<State: Sendable>: ~Copyable, @unchecked Sendable {
  /// Precedes the state in the same allocation.
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline let state: UnsafeMutablePointer<State>

  /// - Parameter isAlone: Whether the lock and its state occupy cache lines of their own, which avoids false sharing
  ///   with neighbouring locks.
  @inlinable
  package init(_ initialState: State, isAlone: Bool = false) {
    let alignment = MemoryLayout<State>.alignment
    precondition(alignment <= 16, "\(State.self) needs an alignment of \(alignment), which malloc does not guarantee")
    let offset = (MemoryLayout<pthread_mutex_t>.size + alignment - 1) / alignment * alignment
    let byteCount = offset + MemoryLayout<State>.size
    // `UnsafeMutableRawPointer.allocate` requests an alignment that `malloc` guarantees anyway, at twice the cost.
    let allocated = isAlone ? Self.allocateLines(byteCount) : malloc(byteCount)
    guard let memory = allocated else { fatalError("no memory for a lock of \(byteCount) bytes") }
    mutex = memory.initializeMemory(as: pthread_mutex_t.self, to: pthread_mutex_t())
    state = (memory + offset).initializeMemory(as: State.self, to: initialState)
    let status = pthread_mutex_init(mutex, nil)
    precondition(status == 0, "pthread_mutex_init failed with \(status)")
  }

  /// Allocates whole pairs of cache lines, since processors fetch them in pairs.
  @usableFromInline
  static func allocateLines(_ byteCount: Int) -> UnsafeMutableRawPointer? {
    aligned_alloc(128, (byteCount + 127) / 128 * 128)
  }

  @inlinable
  deinit {
    pthread_mutex_destroy(mutex)
    state.deinitialize(count: 1)
    free(mutex)
  }

  /// Runs `body` while the lock is held. It must not block, call user code or acquire this lock again.
  @inlinable
  @inline(__always)
  package func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state.pointee)
  }

  /// Replaces the state; the old one is freed without the lock.
  @inlinable
  package func replace(with new: State) {
    let old = withLock { state in
      defer { state = new }
      return state
    }
    withExtendedLifetime(old) {}
  }
}
