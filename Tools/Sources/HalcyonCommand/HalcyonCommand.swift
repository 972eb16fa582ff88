public import ArgumentParser
import Halcyon

/// The command-line program `halcyon`.
public struct HalcyonCommand: AsyncParsableCommand {
  /// The name and the subcommands.
  public static let configuration = CommandConfiguration(
    commandName: "halcyon", abstract: "Loads, converts, caches and examines images.", version: HalcyonVersion.current,
    subcommands: [
      GetCommand.self, ConvertCommand.self, CompareCommand.self, InfoCommand.self, CacheCommand.self,
      FormatsCommand.self, ServeCommand.self, DrawSVGCommand.self,
    ])

  /// Creates the command for its parser.
  public init() {}
}
