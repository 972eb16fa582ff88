#if canImport(ObjectiveC) && !os(watchOS)
public import Halcyon

extension ImageCache {
  /// Tells each ``DiskCache`` in this cache when the app leaves the screen and when it ends, as long as that lives: it
  /// writes down what was read, and cleans where its ``CleaningPolicy`` has the occasion.
  ///
  /// A Mac app leaves when another comes to the front; elsewhere the system is asked for the time that it takes. The
  /// first use of a view's `hc` does this for the cache of ``ImagePipeline/shared``; doing it again does nothing.
  @MainActor
  public func followAppLifeCycle() { AppLifeCycle.shared.add(self) }
}
#endif
