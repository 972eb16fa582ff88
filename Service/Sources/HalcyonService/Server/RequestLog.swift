import HTTPTypes
import Halcyon
import Logging

/// Writes a line of the log for each request.
struct RequestLog: Sendable {
  /// The paths of requests, without credentials.
  let path: LoggedPath
  private let configuration: ServiceConfiguration
  private let logger: Logger
  /// The handler of ``logger`` if it writes records itself.
  private let handler: (any RequestLogHandler)?

  init(_ configuration: ServiceConfiguration, logger: Logger) {
    path = LoggedPath(configuration)
    self.configuration = configuration
    self.logger = logger
    handler = (logger.handler as? any RequestLogHandler).flatMap { $0.metadata.isEmpty ? $0 : nil }
  }

  /// Logs a response, and why the request failed.
  ///
  /// - Parameters:
  ///   - isHit: Whether the result was in the cache; `nil` without a result.
  ///   - known: The path of the request for the log, if it is known.
  func record(
    _ status: Int, byteCount: Int, duration: Duration, isHit: Bool?, to request: ServiceRequest, id: String,
    path known: String?, _ failure: ServiceError?
  ) {
    let level = level(status: status, failure)
    guard logger.logLevel <= level else { return }
    let record = RequestRecord(
      id: id, client: client(of: request), method: request.method.rawValue, path: known ?? path.text(request.path),
      status: status, byteCount: byteCount, duration: duration, isHit: isHit,
      error: failure.map { Redaction.text($0.cause) })
    if let handler {
      handler.log(record, level: level)
    } else {
      logger.log(level: level, "\(RequestRecord.message)", metadata: record.metadata)
    }
  }

  private func level(status: Int, _ failure: ServiceError?) -> Logger.Level {
    if failure?.isOfSource == true, !configuration.reportsSourceErrors { return .info }
    return switch status {
    case 500...: .error
    // A client that has left is no fault.
    case 400..<499: .warning
    default: .info
    }
  }

  /// The client's address, from a trusted proxy's header or the connection.
  private func client(of request: ServiceRequest) -> String? {
    guard !configuration.trustedProxies.isEmpty else { return request.client }
    return ForwardedClient.address(
      connection: request.client, forwardedFor: request.headers[.forwardedFor], proxies: configuration.trustedProxies)
  }
}
