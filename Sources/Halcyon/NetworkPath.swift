#if canImport(Network)
import Dispatch
import Network

/// The network that the system uses now.
enum NetworkPath {
  /// Never changed after ``start()``; its path may be read on any thread.
  private static let monitor = {
    let monitor = NWPathMonitor()
    monitor.start(queue: .global(qos: .utility))
    return monitor
  }()

  /// Begins to observe the network, so that its state is known when the first image is loaded.
  static func start() { _ = monitor }

  /// Whether Low Data Mode is on for it.
  static var isConstrained: Bool { monitor.currentPath.isConstrained }
}
#endif
