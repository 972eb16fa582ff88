import HalcyonSupport

/// The configuration of a disk cache, as all its parts see it.
final class DiskSettings: Sendable {
  private let state: Lock<DiskCacheConfiguration>

  init(_ configuration: DiskCacheConfiguration) {
    state = Lock(configuration)
  }

  var current: DiskCacheConfiguration {
    get { state.withLock(\.self) }
    set { state.withLock { $0 = newValue } }
  }
}
