import Foundation
import Halcyon
import HalcyonHTTP
import HalcyonSupport
import HalcyonTransport
import HalcyonCodecs
import HalcyonService
import Logging
import HalcyonTestSupport
import Tracing

/// A service on a free port of the loopback interface.
struct RunningService: Sendable {
  let port: Int
  let service: ImageService
  private let client = CurlTransport()

  /// A response, with its whole body.
  struct Answer: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: Data

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The decoded body.
    func bitmap() throws -> Bitmap { try DecodedImage(data: body).bitmap }
  }

  /// Runs `body` with a service and an origin; the service accepts unsigned URLs and connects to the loopback interface,
  /// unless `change` says otherwise.
  static func run(
    _ change: (inout ServiceConfiguration) -> Void = { _ in }, time: any TimeSource = SystemTime(),
    logger: Logger = .silent, tracer: (any Tracer)? = nil,
    onMetricsListening: @escaping @Sendable (Int) -> Void = { _ in },
    body: (RunningService, ImageServer) async throws -> Void
  ) async throws {
    let folder = URL.temporaryDirectory.appending(
      path: "halcyon-service-\(UUID().uuidString)", directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: folder) }
    var configuration = ServiceConfiguration()
    configuration.port = 0
    configuration.isInsecure = true
    configuration.addressPolicy.allowed = [AddressRange("127.0.0.0/8")].compactMap(\.self)
    configuration.cacheDirectory = folder
    change(&configuration)
    let service = try await ImageService(configuration, logger: logger, tracer: tracer, time: time)
    let port = Monitor(0)
    let server = ServiceServer(
      service, configuration: configuration, logger: logger, onMetricsListening: onMetricsListening
    ) { number in
      port.update { $0 = number }
    }
    try await ImageServer.run { origin in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await server.run() }
        try await port.wait { $0 > 0 }
        try await body(RunningService(port: port.read { $0 }, service: service), origin)
        group.cancelAll()
      }
    }
    await service.close()
  }

  /// The URL of a path on the service.
  func url(_ path: String) throws -> URL {
    guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw URLError(.badURL) }
    return url
  }

  func get(
    _ path: String, method: HTTPMethod = .get, _ headers: HTTPHeaders = [:], body: Data? = nil
  ) async throws -> Answer {
    let request = TransportRequest(url: try url(path), method: method, headers: headers, body: body)
    let response = try await client.response(to: request)
    var received = Data()
    for try await piece in response.body { received += piece }
    return Answer(status: response.status, headers: response.headers, body: received)
  }

  /// The response for options, and an image of the origin.
  func image(
    _ options: String, of source: URL, as fileExtension: String? = "png", _ headers: HTTPHeaders = [:]
  ) async throws -> Answer {
    let suffix = fileExtension.map { "@" + $0 } ?? ""
    return try await get("/_/\(options)\(options.isEmpty ? "" : "/")plain/\(source.absoluteString)\(suffix)", headers)
  }
}

/// Keeps lines of at least a level: the message, and the metadata in the order of their keys.
struct LineLog: LogHandler {
  let lines: EventLog<String>
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]

  init(_ lines: EventLog<String>, level: Logger.Level) { (self.lines, logLevel) = (lines, level) }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let values = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    lines.record(([event.message.description] + values).joined(separator: " "))
  }
}

extension Logger {
  /// Logs nothing.
  static var silent: Logger { Logger(label: "test") { _ in SwiftLogNoOpLogHandler() } }
}
