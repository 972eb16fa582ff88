public import Logging

/// Writes one line to standard error for each event: time, level, metadata and message, as text or as a JSON object.
public struct LineLogHandler: LogHandler {
  /// The least level that is written.
  public var logLevel = Logger.Level.info
  /// The metadata of every line.
  public var metadata: Logger.Metadata = [:]
  private let label: String
  private let isJSON: Bool

  /// Creates a handler.
  ///
  /// - Parameter isJSON: Whether it writes JSON objects, in which whole numbers and fractions of the metadata are numbers.
  public init(label: String, isJSON: Bool) { (self.label, self.isJSON) = (label, isJSON) }

  /// A value of the metadata.
  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Writes a line.
  public func log(event: LogEvent) {
    let message = event.message.description
    var line = begin(event.level, message)
    let own: Set = isJSON ? ["time", "level", "logger", "message"] : []
    let values = metadata.isEmpty ? event.metadata ?? [:] : metadata.merging(event.metadata ?? [:]) { $1 }
    for (name, value) in values.sorted(by: { $0.key < $1.key }) where !own.contains(name) {
      line.append(field: name)
      if isJSON, let number = value.number { line.append(number) } else { line.append(value: "\(value)") }
    }
    end(&line, message)
    StandardErrorLog.write(line)
  }

  private func begin(_ level: Logger.Level, _ message: String) -> LogLine {
    var line = LogLine(isJSON: isJSON)
    line.append(isJSON ? "{\"time\":\"" : "")
    line.append(LogLine.time)
    line.append(isJSON ? "\",\"level\":\"" : " ")
    line.append(level.rawValue)
    line.append(isJSON ? "\",\"logger\":" : " ")
    line.append(value: label)
    if isJSON { line.append(field: "message", message) } else { line.append(":") }
    return line
  }

  private func end(_ line: inout LogLine, _ message: String) {
    line.append(isJSON ? "}" : " ")
    if !isJSON { line.append(message) }
  }
}

extension LineLogHandler: RequestLogHandler {
  func log(_ record: RequestRecord, level: Logger.Level) {
    var line = begin(level, RequestRecord.message)
    line.append(field: "bytes")
    line.append(record.byteCount)
    line.append(field: "cache", record.cache)
    line.append(field: "client", record.client ?? "-")
    if let error = record.error { line.append(field: "error", error) }
    line.append(field: "id", record.id)
    line.append(field: "method", record.method)
    line.append(field: "ms")
    line.append(milliseconds: record.duration)
    line.append(field: "path", record.path)
    line.append(field: "status")
    line.append(record.status)
    end(&line, RequestRecord.message)
    StandardErrorLog.enqueue(line)
  }
}

extension Logger.MetadataValue {
  /// The text of a number.
  fileprivate var number: String? {
    guard case .stringConvertible(let value) = self else { return nil }
    switch value {
    case let value as Int: return "\(value)"
    case let value as Double where value.isFinite: return "\(value)"
    default: return nil
    }
  }
}
