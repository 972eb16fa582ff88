public import Foundation

/// State that one thread at a time may touch, for nanoseconds.
///
/// A `pthread_mutex_t`, because it is measured on Linux: 7 ns for an uncontended round against 16 for `Mutex`, no
/// collapse when there are more threads than processors, and the thread sanitizer sees it, which it does not when a
/// `Mutex` is contended.
///
/// Unchecked: the state is only reached between locking and unlocking.
///
/// Inlined and specialised in every module that uses it: `package` members are only if they are `@inlinable` and the type
/// and its stored properties `@usableFromInline`. `make test-release` checks the symbols.
@usableFromInline
package struct Lock<State: Sendable>: ~Copyable, @unchecked Sendable {
  /// Lies before the state, in one piece of memory.
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  @usableFromInline let state: UnsafeMutablePointer<State>

  /// - Parameter isAlone: Whether nothing else shares the lines of memory that the lock and its state lie on; threads
  ///   that take neighbouring locks would pass them to each other.
  @inlinable
  package init(_ initialState: State, isAlone: Bool = false) {
    let alignment = MemoryLayout<State>.alignment
    precondition(alignment <= 16, "\(State.self) needs an alignment of \(alignment), which malloc does not give")
    let offset = (MemoryLayout<pthread_mutex_t>.size + alignment - 1) / alignment * alignment
    let byteCount = offset + MemoryLayout<State>.size
    // `UnsafeMutableRawPointer.allocate` asks for an alignment that `malloc` gives anyway, at twice the price.
    let allocated = isAlone ? Self.allocateLines(byteCount) : malloc(byteCount)
    guard let memory = allocated else { fatalError("no memory for \(byteCount) bytes of a lock") }
    mutex = memory.initializeMemory(as: pthread_mutex_t.self, to: pthread_mutex_t())
    state = (memory + offset).initializeMemory(as: State.self, to: initialState)
    let status = pthread_mutex_init(mutex, nil)
    precondition(status == 0, "pthread_mutex_init failed with \(status)")
  }

  /// Whole lines, and in pairs, as processors fetch them.
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

  /// Runs `body` alone. It must not block, call what a user wrote or take this lock again.
  @inlinable
  @inline(__always)
  package func withLock<Result, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state.pointee)
  }
}
