#if Logging
import Foundation
import Halcyon
import HalcyonLogging
import HalcyonTesting
import Logging
import HalcyonSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct EventLoggerTests {
  /// A GIF of one pixel.
  private static let image = Data(base64Encoded: "R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=") ?? Data()

  private func pipeline(
    _ log: MessageLog, level: Logger.Level = .trace,
    _ script: @escaping @Sendable (TransportRequest) async throws -> ScriptedTransport.Reply
  ) -> ImagePipeline {
    var configuration = PipelineConfiguration()
    configuration.transport = ScriptedTransport(script)
    configuration.cache = ImageCache(store: MemoryDataStore())
    configuration.options.retryStrategy = .never
    var logger = Logger(label: "images") { _ in RecordingHandler(log: log) }
    logger.logLevel = level
    let handler = EventLogger(logger)
    configuration.eventHandler = { event in handler(event) }
    return ImagePipeline(configuration: configuration)
  }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  @Test func `each event of a load is logged with its number`() async throws {
    let log = MessageLog()
    let pipeline = pipeline(log) { _ in .response(body: Self.image) }
    _ = try await pipeline.image(for: url("http://user:password@example.com/a.gif?signature=1"))
    #expect(log.messages.prefix(3) == ["trace: created", "trace: started", "debug: memory miss: absent"])
    #expect(log.messages.contains("info: finished: network"))
    #expect(log.metadata("created") == ["load": "1", "source": "http://example.com/a.gif"])
    #expect(log.metadata("response: 200")?["url"] == "http://example.com/a.gif")
    #expect(log.metadata("finished: network")?["trace"]?.description.contains("transfer") == true)
  }

  @Test func `a failed load is a warning with the error`() async throws {
    let log = MessageLog()
    let pipeline = pipeline(log, level: .notice) { _ in .response(status: 404, body: Data()) }
    await #expect(throws: ImageError.self) { try await pipeline.image(for: url("http://example.com/a.gif")) }
    #expect(log.messages == ["warning: failed"])
    #expect(log.metadata("failed")?["error"]?.description.contains("HTTP 404") == true)
  }

  @Test func `another source is a notice with the source and the error, and a store that fails is an error`()
    async throws
  {
    let log = MessageLog()
    let pipeline = pipeline(log, level: .notice) { request in
      request.url.path() == "/b.gif" ? .response(body: Self.image) : .response(status: 404, body: Data())
    }
    var request = ImageRequest(url: try url("http://example.com/a.gif"))
    request.alternatives = [.string("http://user:password@example.com/b.gif?signature=1")]
    // There is no encoder for this format.
    request.options.storage = .encoded(as: .svg, keepsOriginal: false)
    _ = try await pipeline.image(for: request)
    await pipeline.cache.flush()
    #expect(log.messages == ["notice: trying another source", "error: store failed"])
    #expect(log.metadata("trying another source")?["source"] == "http://example.com/b.gif")
    #expect(log.metadata("trying another source")?["error"]?.description.contains("HTTP 404") == true)
    #expect(log.metadata("store failed")?["error"] != nil)
  }

  @Test func `of a data URL only its kind is logged`() async throws {
    let log = MessageLog()
    let pipeline = pipeline(log) { _ in .response(body: Self.image) }
    _ = try await pipeline.image(for: url("data:image/gif;base64,\(Self.image.base64EncodedString())"))
    #expect(log.metadata("created")?["source"] == "data")
  }

  @Test func `a cancelled load is no warning`() async throws {
    let log = MessageLog()
    let pipeline = pipeline(log, level: .debug) { _ in throw CancellationError() }
    let task = pipeline.task(for: ImageRequest(url: try url("http://example.com/a.gif")))
    task.cancel()
    await #expect(throws: ImageError.self) { try await task.image }
    #expect(log.messages.contains("debug: cancelled"))
    #expect(!log.messages.contains { $0.hasPrefix("warning") })
  }
}

/// The messages of a logger, in order.
private final class MessageLog: Sendable {
  private let entries = Lock<[(message: String, level: Logger.Level, metadata: Logger.Metadata)]>([])

  var messages: [String] { entries.withLock { $0.map { "\($0.level): \($0.message)" } } }

  func metadata(_ message: String) -> Logger.Metadata? {
    entries.withLock { $0.first { $0.message == message }?.metadata }
  }

  func record(_ message: String, _ level: Logger.Level, _ metadata: Logger.Metadata) {
    entries.withLock { $0.append((message, level, metadata)) }
  }
}

private struct RecordingHandler: LogHandler {
  let log: MessageLog
  var logLevel = Logger.Level.trace
  var metadata: Logger.Metadata = [:]

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    log.record(event.message.description, event.level, event.metadata ?? [:])
  }
}
#endif
