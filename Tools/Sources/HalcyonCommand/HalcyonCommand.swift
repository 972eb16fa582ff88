public import ArgumentParser

/// The command-line program `halcyon`.
public struct HalcyonCommand: AsyncParsableCommand {
  /// The name and the subcommands.
  public static let configuration = CommandConfiguration(
    commandName: "halcyon", abstract: "Loads, caches and examines images.", version: "0.1.0",
    subcommands: [GetCommand.self, InfoCommand.self])

  /// Creates the command for its parser.
  public init() {}
}
