/// How short of memory the system is.
@nonexhaustive
public enum MemoryPressure: Hashable, Sendable {
  /// Some tasks wait for memory.
  case some
  /// All tasks wait for memory; the system is about to kill processes.
  case full
}

extension MemoryPressure {
  /// A memory cache keeps its cost divided by this: half of it under some pressure, a tenth under full pressure.
  var costDivisor: Int {
    switch self {
    case .some: 2
    case .full: 10
    }
  }
}
