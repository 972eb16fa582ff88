import Foundation
import SystemShim

extension Thread {
  /// Starts a thread under a name that debuggers and lists of threads show; Linux keeps its first 15 bytes.
  ///
  /// - Parameter stackSize: Bytes; `nil` for as many as the system gives.
  package static func start(named name: String, stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread {
      #if os(Linux)
      // Foundation keeps the name to itself there.
      halcyon_name_thread(String(decoding: name.utf8.prefix(15), as: UTF8.self))
      #endif
      body()
    }
    thread.name = name
    if let stackSize { thread.stackSize = stackSize }
    thread.start()
  }
}
