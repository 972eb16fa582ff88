public import ArgumentParser
import Foundation
import Halcyon
import HalcyonSupport

/// The command-line program `halcyon`.
public struct HalcyonCommand: AsyncParsableCommand {
  /// The name and the subcommands.
  public static let configuration = CommandConfiguration(
    commandName: "halcyon", abstract: "Loads, converts, caches and examines images.", version: HalcyonVersion.current,
    subcommands: [
      GetCommand.self, ConvertCommand.self, SheetCommand.self, CompareCommand.self, InfoCommand.self,
      CacheCommand.self, FormatsCommand.self, ServeCommand.self, DrawSVGCommand.self,
    ])

  /// Creates the command for its parser.
  public init() {}

  /// Runs the command that the arguments of the process name, and ends the process with its exit status.
  public static func main() async {
    openStandardDescriptors()
    LibraryMessages.drop()
    let arguments = Array(ProgramArguments.all.dropFirst())
    do {
      var command = try await parsed(arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      if StandardOutput.hasFailed { throw ExitCode.failure }
    } catch {
      exit(error, arguments)
    }
  }

  /// Opens those of the standard descriptors that are closed, so that no file gets their numbers. They cannot be written.
  private static func openStandardDescriptors() {
    var file: Int32
    repeat { file = open("/dev/null", O_RDONLY) } while (0...STDERR_FILENO).contains(file)
    close(file)
  }

  /// Throws if the first argument names no subcommand: to the parser it would be one argument too many.
  private static func checkCommand(_ arguments: ArraySlice<String>, of command: any ParsableCommand.Type) throws {
    let commands = command.configuration.subcommands
    guard let name = arguments.first, !name.hasPrefix("-"), name != "help", !commands.isEmpty else { return }
    guard let named = commands.first(where: { $0.configuration.commandName == name }) else {
      let names = commands.filter { $0.configuration.shouldDisplay }.compactMap { $0.configuration.commandName }
      throw ValidationError("There is no command \(name). Use one of \(names.joined(separator: ", ")).")
    }
    try checkCommand(arguments.dropFirst(), of: named)
  }

  /// The command that the arguments name.
  private static func parsed(_ arguments: [String]) async throws -> any ParsableCommand {
    try checkCommand(arguments[...], of: Self.self)
    do {
      return try await asyncParseAsRoot(arguments)
    } catch {
      // The value of an unknown option looks like another source, of which there may then seem to be too many.
      _ = try await Arguments.$areChecked.withValue(false) { try await asyncParseAsRoot(arguments) }
      throw error
    }
  }

  /// Prints the help or the error, and ends the process.
  private static func exit(_ error: any Error, _ arguments: [String]) -> Never {
    let status = exitCode(for: error)
    var text = fullMessage(for: error)
    if text.isEmpty { exit(withError: error) }
    if status.isSuccess {
      do { try StandardOutput.write(Data((text + "\n").utf8)) } catch { exit(error, arguments) }
      Foundation.exit(status.rawValue)
    }
    // The message has lines of its own; an argument in it has none.
    for value in arguments.flatMap({ [$0] + $0.utf8.split(separator: UInt8(ascii: "=")).map { String(Substring($0)) } })
    where value.printableLine != value {
      text = text.replacing(value, with: value.printableLine)
    }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) { StandardError.write(String(line)) }
    Foundation.exit(status.rawValue)
  }
}
