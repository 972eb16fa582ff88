public import Logging

/// Writes one JSON object per line to standard error.
public struct JSONLogHandler: LogHandler {
  /// The least level that is written.
  public var logLevel = Logger.Level.info
  /// The metadata of every line.
  public var metadata: Logger.Metadata = [:]
  private let label: String

  /// Creates a handler.
  public init(label: String) { self.label = label }

  /// A value of the metadata.
  public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  /// Writes a line; whole numbers and fractions of the metadata are numbers.
  public func log(event: LogEvent) {
    var line = begin(event.level, event.message.description)
    let own: Set = ["time", "level", "logger", "message"]
    let values = metadata.isEmpty ? event.metadata ?? [:] : metadata.merging(event.metadata ?? [:]) { $1 }
    for (name, value) in values.sorted(by: { $0.key < $1.key }) where !own.contains(name) {
      line.append(",")
      line.append(quoted: name)
      line.append(":")
      if let number = value.number { line.append(number) } else { line.append(quoted: "\(value)") }
    }
    line.append("}")
    StandardErrorLog.write(line)
  }

  private func begin(_ level: Logger.Level, _ message: String) -> LogLine {
    var line = LogLine()
    line.append("{\"time\":\"")
    line.append(LogLine.time)
    line.append("\",\"level\":\"")
    line.append(level.rawValue)
    line.append("\",\"logger\":")
    line.append(quoted: label)
    line.append(",\"message\":")
    line.append(quoted: message)
    return line
  }
}

extension JSONLogHandler: RequestLogHandler {
  func log(_ record: RequestRecord, level: Logger.Level) {
    var line = begin(level, RequestRecord.message)
    line.append(",\"bytes\":")
    line.append(record.byteCount)
    line.append(",\"cache\":")
    line.append(quoted: record.cache)
    line.append(",\"client\":")
    line.append(quoted: record.client ?? "-")
    if let error = record.error {
      line.append(",\"error\":")
      line.append(quoted: error)
    }
    line.append(",\"id\":")
    line.append(quoted: record.id)
    line.append(",\"method\":")
    line.append(quoted: record.method)
    line.append(",\"ms\":")
    line.append(milliseconds: record.duration)
    line.append(",\"path\":")
    line.append(quoted: record.path)
    line.append(",\"status\":")
    line.append(record.status)
    line.append("}")
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
