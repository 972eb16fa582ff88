import Foundation

extension Thread {
  /// Starts a thread under a name that debuggers and lists of threads show; Linux keeps its first 15 bytes.
  ///
  /// - Parameter stackSize: Bytes; `nil` for as many as the system gives.
  package static func start(named name: String, stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread {
      #if os(Linux)
      // Foundation keeps the name to itself there.
      try? name.write(toFile: "/proc/thread-self/comm", atomically: false, encoding: .utf8)
      #endif
      body()
    }
    thread.name = name
    if let stackSize { thread.stackSize = stackSize }
    thread.start()
  }
}
