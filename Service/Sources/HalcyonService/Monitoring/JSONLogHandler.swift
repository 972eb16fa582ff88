import Foundation
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

  /// Writes a line.
  public func log(event: LogEvent) {
    var object = metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" }
    object["level"] = event.level.rawValue
    object["message"] = "\(event.message)"
    object["logger"] = label
    object["time"] = Date().formatted(.iso8601)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Texts are always valid JSON.
    guard var line = try? encoder.encode(object) else { return }
    line.append(10)
    try? FileHandle.standardError.write(contentsOf: line)
  }
}
