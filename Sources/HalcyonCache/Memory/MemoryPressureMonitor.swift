/// Gives memory back when the system asks for it: as long as the monitor lives, its cache is trimmed under pressure.
///
/// It holds the cache weakly.
public final class MemoryPressureMonitor: Sendable {
  private let watching: Task<Void, Never>

  /// Starts to trim a cache, see ``MemoryCache/trim(for:)``.
  ///
  /// - Parameters:
  ///   - cache: What is trimmed.
  ///   - source: What tells of pressure; the system by default.
  public convenience init(
    trimming cache: MemoryCache, on source: any MemoryPressureSource = SystemMemoryPressure()
  ) {
    self.init(source: source) { [weak cache] pressure in cache?.trim(for: pressure) }
  }

  /// Starts to watch for something else.
  ///
  /// - Parameters:
  ///   - source: What tells of pressure.
  ///   - onPressure: Called on some thread, for one event after the other.
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
