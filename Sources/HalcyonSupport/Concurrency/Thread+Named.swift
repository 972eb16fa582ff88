import Foundation
import CHalcyonSystemShim

extension Thread {
  /// Starts a thread with a name for debuggers and thread lists; Linux truncates it to 15 bytes.
  ///
  /// - Parameter stackSize: Bytes; `nil` for the system's default.
  package static func start(named name: String, stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread {
      #if os(Linux)
      // Foundation does not pass the name to the system there.
      halcyon_name_thread(String(decoding: name.utf8.prefix(15), as: UTF8.self))
      #endif
      body()
    }
    thread.name = name
    if let stackSize { thread.stackSize = stackSize }
    thread.start()
  }
}
