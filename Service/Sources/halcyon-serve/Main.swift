import Foundation
import HalcyonCodecs
import HalcyonService
import Logging

@main
enum Main {
  private static let drawing = "draw-svg"

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    // The process that draws SVG for a service, which starts it.
    if arguments == [drawing] { IsolatedSVGDecoder.runHelper() }
    do {
      let command = try ServiceCommand(arguments: arguments, environment: ProcessInfo.processInfo.environment)
      switch command {
      case .help(let text): print(text)
      case .check(let report): print(report)
      case .run(let configuration): try await run(configuration)
      }
    } catch {
      try? FileHandle.standardError.write(contentsOf: Data("halcyon-serve: \(error)\n".utf8))
      exit(error is ConfigurationError ? 64 : 1)
    }
  }

  private static func run(_ configuration: ServiceConfiguration) async throws {
    var logger = Logger(label: "halcyon-serve") { label -> any LogHandler in
      configuration.logsJSON ? JSONLogHandler(label: label) : StreamLogHandler.standardError(label: label)
    }
    logger.logLevel = Logger.Level(rawValue: configuration.logLevel) ?? .info
    let service = try await ImageService(
      configuration, logger: logger,
      drawingProgram: Bundle.main.executableURL.map { (program: $0, arguments: [drawing]) })
    let server = ServiceServer(service, configuration: configuration, logger: logger) { port in
      print("Listening on http://\(configuration.host):\(port)")
      fflush(nil)
    }
    try await server.runUntilSignal()
  }
}
