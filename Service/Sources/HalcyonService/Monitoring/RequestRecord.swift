import Logging

/// What the log says of a request.
struct RequestRecord {
  /// The message of its line.
  static let message = "Responded"

  let id: String
  let client: String?
  let method: String
  /// The path without credentials, as ``LoggedPath`` has it.
  let path: String
  let status: Int
  let byteCount: Int
  let duration: Duration
  /// Whether the result was in the cache; `nil` without a result.
  let isHit: Bool?
  let error: String?

  var cache: String { isHit.map { $0 ? "hit" : "miss" } ?? "-" }

  /// The record for any handler.
  var metadata: Logger.Metadata {
    var metadata: Logger.Metadata = [
      "id": .string(id), "client": .string(client ?? "-"), "method": .string(method), "path": .string(path),
      "status": .stringConvertible(status), "bytes": .stringConvertible(byteCount),
      "ms": .stringConvertible((duration / .milliseconds(1) * 100).rounded() / 100), "cache": .string(cache),
    ]
    if let error { metadata["error"] = .string(error) }
    return metadata
  }
}

/// A handler that writes records without a dictionary in between, which would cost more than all other work for a cached
/// result.
protocol RequestLogHandler: LogHandler {
  /// Writes the line that the metadata of the record would have.
  func log(_ record: RequestRecord, level: Logger.Level)
}
