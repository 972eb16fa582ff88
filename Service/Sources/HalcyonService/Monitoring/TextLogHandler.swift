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
    var line = LogLine()
    line.append("\(LogLine.time) \(event.level.rawValue) \(label):")
    let values = metadata.isEmpty ? event.metadata ?? [:] : metadata.merging(event.metadata ?? [:]) { $1 }
    for (name, value) in values.sorted(by: { $0.key < $1.key }) { line.append(" \(name)=\(value)") }
    line.append(" \(event.message)")
    line.write()
  }
}
