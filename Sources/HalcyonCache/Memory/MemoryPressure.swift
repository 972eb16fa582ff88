/// How badly the system wants memory back.
@nonexhaustive
public enum MemoryPressure: Hashable, Sendable {
  /// Some work waits for memory.
  case some
  /// All work waits for memory; the system is about to end processes.
  case full
}
