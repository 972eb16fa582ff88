import Foundation
import HalcyonCodecs
import HalcyonCommand
import HalcyonService
import Logging

@main
enum Main {
  private static let drawing = "draw-svg"

  static func main() async {
    var arguments = Array(ProgramArguments.all.dropFirst())
    // The process that draws SVG for a service, which starts it.
    if arguments == [drawing] { IsolatedSVGDecoder.runHelper() }
    if isCommandLine {
      guard arguments.first == "serve" else { return await HalcyonCommand.main() }
      arguments.removeFirst()
    }
    do {
      let command = try ServiceCommand(arguments: arguments, environment: ProcessInfo.processInfo.environment)
      switch command {
      case .help(let text), .version(let text): print(text)
      case .check(let report, let warnings):
        print(report)
        for text in warnings {
          try? FileHandle.standardError.write(contentsOf: Data("halcyon-serve: \(text)\n".utf8))
        }
        if !warnings.isEmpty { exit(1) }
      case .health(let configuration):
        guard await HealthCheck(configuration).isHealthy() else {
          let address =
            configuration.socketPath ?? "\(ListeningAddress(host: configuration.host, port: configuration.port))"
          try? FileHandle.standardError.write(contentsOf: Data("halcyon-serve: \(address) is not healthy.\n".utf8))
          exit(1)
        }
      case .run(let configuration): try await run(configuration)
      }
    } catch {
      let isJSON = ServiceCommand.wantsJSON(arguments, ProcessInfo.processInfo.environment)
      if isJSON {
        logger(isJSON: true, level: .error).critical("\(error)")
      } else {
        try? FileHandle.standardError.write(contentsOf: Data("halcyon-serve: \(error)\n".utf8))
      }
      exit(error is ConfigurationError ? 64 : 1)
    }
  }

  /// Whether this is the command line: packages have one program under both names, half as large as two.
  private static var isCommandLine: Bool {
    ProgramArguments.all.first?.utf8.split(separator: UInt8(ascii: "/")).last.map(Array.init) == Array("halcyon".utf8)
  }

  private static func run(_ configuration: ServiceConfiguration) async throws {
    let logger = logger(
      isJSON: configuration.logsJSON, level: Logger.Level(rawValue: configuration.logLevel) ?? .info)
    // The logger for a terminal has taken the stream that this replaces.
    LibraryMessages.drop()
    for name in configuration.ignoredVariables { logger.warning("\(name) has no effect") }
    for notice in configuration.notices { logger.warning("\(notice)") }
    if let fault = configuration.cacheFolderFault() { logger.warning("Nothing is kept on disk. \(fault)") }
    if configuration.isInsecure { logger.warning("URLs need no signature") }
    let service = try await ImageService(
      configuration, logger: logger,
      drawingProgram: Bundle.main.executableURL.map { (program: $0, arguments: [drawing]) })
    let server = ServiceServer(service, configuration: configuration, logger: logger) { port in
      let address =
        configuration.socketPath.map { "unix:\($0)" }
        ?? "http://\(ListeningAddress(host: configuration.host, port: port))"
      if configuration.logsJSON {
        logger.notice("Listening on \(address)")
      } else {
        print("Listening on \(address)")
        fflush(nil)
      }
    }
    defer { StandardErrorLog.flush() }
    try await server.runUntilSignal()
  }

  private static func logger(isJSON: Bool, level: Logger.Level) -> Logger {
    var logger = Logger(label: "halcyon-serve") { LineLogHandler(label: $0, isJSON: isJSON) }
    logger.logLevel = level
    return logger
  }
}
