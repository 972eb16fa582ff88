import Foundation

/// Runs this program again, in a process that begins with the memory of an empty window.
enum OwnProcess {
  /// What the program prints.
  static func run(_ arguments: [String]) async throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let text = await Task.detached {
      String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }.value
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw CocoaError(.executableLoad) }
    return text
  }
}
