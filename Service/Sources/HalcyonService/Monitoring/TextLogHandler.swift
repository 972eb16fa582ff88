public import Logging

/// Writes one line of text to standard error for each event: time, level, metadata and message.
public struct TextLogHandler: LogHandler {
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

  /// Writes a line.
  public func log(event: LogEvent) {
    var line = begin(event.level)
    let values = metadata.isEmpty ? event.metadata ?? [:] : metadata.merging(event.metadata ?? [:]) { $1 }
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { line.append(" \(name)=\(value)") }
    line.append(" \(event.message)")
    StandardErrorLog.write(line)
  }

  private func begin(_ level: Logger.Level) -> LogLine {
    var line = LogLine()
    line.append(LogLine.time)
    line.append(" ")
    line.append(level.rawValue)
    line.append(" ")
    line.append(label)
    line.append(":")
    return line
  }
}

extension TextLogHandler: RequestLogHandler {
  func log(_ record: RequestRecord, level: Logger.Level) {
    var line = begin(level)
    line.append(" bytes=")
    line.append(record.byteCount)
    line.append(" cache=")
    line.append(record.cache)
    line.append(" client=")
    line.append(record.client ?? "-")
    if let error = record.error {
      line.append(" error=")
      line.append(error)
    }
    line.append(" id=")
    line.append(record.id)
    line.append(" method=")
    line.append(record.method)
    line.append(" ms=")
    line.append(milliseconds: record.duration)
    line.append(" path=")
    line.append(record.path)
    line.append(" status=")
    line.append(record.status)
    line.append(" ")
    line.append(RequestRecord.message)
    StandardErrorLog.enqueue(line)
  }
}
