import ArgumentParser
import Foundation

/// `halcyon serve`: runs the image service, a program of its own, in the place of this one.
struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serves images over HTTP, resized and converted.",
    discussion: """
      Runs the program halcyon-serve that lies beside this one or in a folder of PATH, with all arguments. make install \
      and the Debian package bring both. Its settings: halcyon serve --help.
      """)

  @Argument(
    parsing: .captureForPassthrough, help: "The arguments of halcyon-serve.", completion: .custom { _, _, _ in flags() }
  )
  var arguments: [String] = []

  func run() throws {
    let rest = arguments.first == "--" ? Array(arguments.dropFirst()) : arguments
    guard let program = Self.program else { throw ServeError.noProgram }
    var texts: [UnsafeMutablePointer<CChar>?] = ([program] + rest).map { strdup($0.cPath) } + [nil]
    execv(program, &texts)
    throw ServeError.notStarted(program, reason: String(cString: strerror(errno)))
  }

  /// The path of `halcyon-serve`.
  private static var program: String? {
    let own = Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = [own].compactMap(\.self) + path.utf8.split(separator: UInt8(ascii: ":")).map { String(Substring($0)) }
    return folders.map { $0 + "/halcyon-serve" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// The flags that the help of `halcyon-serve` lists.
  private static func flags() -> [String] {
    guard let program else { return [] }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: program)
    process.arguments = ["--help"]
    process.standardOutput = output
    guard (try? process.run()) != nil else { return [] }
    let help = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let words = help.split { $0.isWhitespace || "[]|,.".contains($0) }
    return Set(words.filter { $0.hasPrefix("--") && $0.count > 2 }.map(String.init)).sorted()
  }
}

/// Why the service was not started.
enum ServeError: Error, CustomStringConvertible {
  /// There is no `halcyon-serve`.
  case noProgram
  /// The program could not be run.
  case notStarted(String, reason: String)

  var description: String {
    switch self {
    case .noProgram:
      """
      halcyon-serve is neither beside halcyon nor in a folder of PATH. Install both with make install in a clone of \
      Halcyon, or with the Debian package.
      """
    case .notStarted(let program, let reason): "\(program) cannot be run: \(reason). Check its permissions."
    }
  }
}
