/// How short of memory the system is.
@nonexhaustive
public enum MemoryPressure: Hashable, Sendable {
  /// Some tasks wait for memory.
  case some
  /// All tasks wait for memory; the system is about to kill processes.
  case full
  /// The system warns the app, which it will terminate unless memory is freed: the memory warning of UIKit.
  case warning
}
