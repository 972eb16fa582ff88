/// A source of memory pressure events.
package protocol MemoryPressureSource: Sendable {
  /// Starts to watch for memory pressure.
  ///
  /// The stream ends at once if the system reports no memory pressure. Ending the iteration ends the watching and frees
  /// its resources.
  func events() -> AsyncStream<MemoryPressure>
}
