#if canImport(CHalcyonMemcached)
import Foundation
import HalcyonSupport
import HalcyonTestSupport

@testable import HalcyonBackend

extension MemcachedConfiguration {
  /// A namespace of its own. A busy machine is no failure of the store.
  static func isolated(_ change: (inout MemcachedConfiguration) -> Void = { _ in }) -> MemcachedConfiguration {
    var configuration = MemcachedConfiguration()
    configuration.timeout = .seconds(20)
    configuration.namespace = UUID().uuidString
    change(&configuration)
    return configuration
  }
}

extension [MemcachedProcess] {
  /// A store on the servers.
  func store(
    _ configuration: MemcachedConfiguration = .isolated(), time: any TimeSource = SystemTime()
  ) -> MemcachedStore {
    MemcachedStore(
      servers: map { MemcachedServer(host: "127.0.0.1", port: $0.port) }, configuration: configuration, time: time)
  }
}
#endif
