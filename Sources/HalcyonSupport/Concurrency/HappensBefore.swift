import Synchronization

/// Orders what a thread has done before what a task does with it.
///
/// The continuation that the task waits with does so as well. But where it is resumed before the task awaits it, the
/// thread sanitizer does not see that (Swift 6.3), and reports what is no race.
final class HappensBefore: Sendable {
  private let isGiven = Atomic(false)

  /// Called by the thread, before it resumes the task.
  func give() { isGiven.store(true, ordering: .releasing) }

  /// Called by the task, once it was resumed.
  func take() { _ = isGiven.load(ordering: .acquiring) }
}
