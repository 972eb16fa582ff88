import ArgumentParser
import Foundation
import Halcyon

/// `halcyon get`: loads an image through the caches at the requested size, and optionally writes it to a file.
struct GetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Loads an image through the caches.",
    discussion: "Prints the origin of the image: network, store (the disk cache), file or inline.")

  @Argument(help: "An http, https, file or data URL, or the path of a file.")
  var source: String

  @Option(help: "Fit the image into this size in pixels, for example 400x300, 400x or x300.")
  var size: SizeArgument?

  @Option(name: .shortAndLong, help: "Write the image to this file: .jpg or .png.")
  var output: String?

  @Option(
    help: """
      How cached images are used: \(FreshnessArgument.help). With cache-only and offline no server is contacted, and an \
      image that is not stored is an error.
      """)
  var freshness = FreshnessArgument.standard

  @Option(help: "The timeout in seconds. Default: none.")
  var timeout: SecondsArgument?

  @Flag(help: "Print one JSON object.")
  var json = false

  @OptionGroup var cache: CacheOptions

  func validate() throws {
    _ = try output.map { try OutputFile(path: $0) }
  }

  func run() async throws {
    let pipeline = cache.pipeline()
    var request = ImageRequest(source: .string(SourceURL.resolve(source)), size: size?.target ?? .original)
    request.freshness = freshness.policy
    request.timeout = timeout?.duration
    let start = ContinuousClock.now
    let response = try await load(request, with: pipeline)
    let elapsed = start.duration(to: .now)
    if let output { try await OutputFile(path: output).write(response, of: request, from: pipeline) }
    await pipeline.cache.flush()
    let report = GetReport(address: source, response: response, elapsed: elapsed, output: output)
    print(json ? try report.json : report.line)
  }

  private func load(_ request: ImageRequest, with pipeline: ImagePipeline) async throws -> ImageResponse {
    let task = pipeline.task(for: request)
    var bar = ProgressBar()
    defer { bar.clear() }
    for await event in task.events {
      if case .progress(let progress) = event { bar.show(progress) }
    }
    return try await task.response
  }
}

/// The output of `halcyon get`.
private struct GetReport: Encodable {
  let address: String
  let origin: String
  let format: String
  let width: Int
  let height: Int
  let sourceWidth: Int
  let sourceHeight: Int
  let milliseconds: Double
  let encodedBytes: Int?
  let output: String?

  init(address: String, response: ImageResponse, elapsed: Duration, output: String?) {
    self.address = address
    origin = response.origin.rawValue
    format = response.image.info.format.rawValue
    (width, height) = (response.image.size.width, response.image.size.height)
    let source = response.image.info.pixelSize
    (sourceWidth, sourceHeight) = (source.width, source.height)
    milliseconds = elapsed.roundedMilliseconds
    encodedBytes = response.encodedByteCount
    self.output = output
  }

  var json: String { get throws { try JSONLine.encode(self) } }

  var line: String {
    let original = width == sourceWidth && height == sourceHeight ? "" : " from \(sourceWidth)x\(sourceHeight)"
    let bytes = encodedBytes.map { ", \($0) bytes" } ?? ""
    return
      "\(format) \(width)x\(height)\(original), \(origin), \(milliseconds) ms\(bytes)\(output.map { " -> \($0)" } ?? "")"
  }
}

/// A file to write, in the format of its extension.
private struct OutputFile {
  private let path: String
  private let format: ImageFormat

  init(path: String) throws {
    self.path = path
    switch URL(filePath: path).pathExtension.lowercased() {
    case "jpg", "jpeg": format = .jpeg
    case "png": format = .png
    case let other:
      throw ValidationError("Cannot write “.\(other)” files: \(path). Name the output .jpg or .png.")
    }
  }

  /// Writes the image atomically; an image that needs no conversion is written with its original bytes.
  func write(_ response: ImageResponse, of request: ImageRequest, from pipeline: ImagePipeline) async throws {
    let data: Data
    if response.image.info.format == format, response.image.size == response.image.info.pixelSize {
      data = try await pipeline.data(for: request)
    } else {
      guard let encoder = pipeline.configuration.encoders.first(where: { $0.format == format }) else {
        throw ImageEncodingError.unsupportedFormat(format)
      }
      data = try encoder.encode(response.image.bitmap, options: EncodingOptions())
    }
    try data.write(to: URL(filePath: path), options: .atomic)
  }
}

/// A download progress bar on standard error; nothing if that is not a terminal.
private struct ProgressBar {
  private static let width = 30
  private let isTerminal = isatty(STDERR_FILENO) == 1
  private var isShown = false
  private var lastDrawn: ContinuousClock.Instant?

  mutating func show(_ progress: LoadProgress) {
    let now = ContinuousClock.now
    let isEnd = progress.receivedByteCount == progress.expectedByteCount
    guard isTerminal, isEnd || lastDrawn.map({ $0.duration(to: now) > .milliseconds(50) }) ?? true else { return }
    lastDrawn = now
    isShown = true
    let bytes = ByteCountFormatter.string(fromByteCount: Int64(progress.receivedByteCount), countStyle: .file)
    guard progress.expectedByteCount != nil else { return write("\r\u{1B}[K\(bytes)") }
    let done = Int((progress.fraction * Double(Self.width)).rounded())
    let bar = String(repeating: "█", count: done) + String(repeating: "░", count: Self.width - done)
    write("\r\u{1B}[K\(bar) \(Int(progress.fraction * 100)) % \(bytes)")
  }

  mutating func clear() {
    if isShown { write("\r\u{1B}[K") }
    isShown = false
  }

  private func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
