/// Trims a cache under memory pressure, as long as the monitor is alive.
///
/// References the cache weakly.
public final class MemoryPressureMonitor: Sendable {
  private let watching: Task<Void, Never>

  /// Starts to trim a cache under memory pressure, see ``MemoryCache/trim(for:)``.
  ///
  /// - Parameters:
  ///   - cache: The cache to trim.
  ///   - source: The source of pressure events. Default: the system.
  public convenience init(
    trimming cache: MemoryCache, on source: any MemoryPressureSource = SystemMemoryPressure()
  ) {
    self.init(source: source) { [weak cache] pressure in cache?.trim(for: pressure) }
  }

  /// Starts to report memory pressure to a closure.
  ///
  /// - Parameters:
  ///   - source: The source of pressure events. Default: the system.
  ///   - onPressure: Called on any thread, for one event at a time, in order.
  public init(
    source: any MemoryPressureSource = SystemMemoryPressure(),
    onPressure: @escaping @Sendable (MemoryPressure) -> Void
  ) {
    watching = Task {
      for await pressure in source.events() { onPressure(pressure) }
    }
  }

  deinit { watching.cancel() }
}
