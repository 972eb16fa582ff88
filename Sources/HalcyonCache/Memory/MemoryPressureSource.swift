/// Tells when the system wants memory back.
public protocol MemoryPressureSource: Sendable {
  /// Starts to watch.
  ///
  /// The stream ends at once where the system tells nothing. Ending the iteration ends the watching and frees what it
  /// holds.
  func events() -> AsyncStream<MemoryPressure>
}
