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

  @Argument(parsing: .captureForPassthrough, help: "The arguments of halcyon-serve.")
  var arguments: [String] = []

  func run() throws {
    let rest = arguments.first == "--" ? Array(arguments.dropFirst()) : arguments
    let folders = [Bundle.main.executableURL?.resolvingSymlinksInPath().deletingLastPathComponent().path].compactMap(
      \.self)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    guard
      let program = Self.program(
        in: folders + path.utf8.split(separator: UInt8(ascii: ":")).map { String(Substring($0)) })
    else {
      throw ServeError.noProgram
    }
    var texts: [UnsafeMutablePointer<CChar>?] = ([program] + rest).map { strdup($0.cPath) } + [nil]
    execv(program, &texts)
    throw ServeError.notStarted(program, reason: String(cString: strerror(errno)))
  }

  private static func program(in folders: [String]) -> String? {
    folders.map { $0 + "/halcyon-serve" }.first { FileManager.default.isExecutableFile(atPath: $0) }
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
