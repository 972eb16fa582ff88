import ArgumentParser
import Foundation
import Halcyon

/// `halcyon get`: loads images through the caches at the requested size, and optionally writes them to files.
struct GetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Loads images through the caches.",
    discussion: """
      Prints the origin of each image: network, store (the disk cache), file or inline. Continues after an image that \
      cannot be loaded or written, and then exits with status 1. Ctrl-C keeps what has been downloaded, if the server \
      supports ranges: the next run resumes there.
      """)

  @Argument(
    help: "http, https, file or data URLs, the paths of files, or - for standard input.", completion: .file())
  var sources: [String]

  @Option(
    help: "Fit the images into this size in pixels, for example 400x300, 400x or x300; or 800 for the longest side.")
  var size: SizeArgument?

  @Option(
    name: .shortAndLong,
    help: """
      Write the image to this file, in the format of its extension, creating its folder; into this folder, under the last part of its URL; \
      or to standard output, with -. What is printed then goes to standard error.
      """,
    completion: .file())
  var output: String?

  @Flag(help: "Replace existing files.")
  var overwrite = false

  @Option(help: "The quality of written images from 0 to 100, for lossy formats. Default: 80, or the original bytes.")
  var quality: Int?

  @Option(
    help: """
      How cached images are used: \(FreshnessArgument.help). With cache-only no server is contacted, and an \
      image that is not stored is an error.
      """)
  var freshness = FreshnessArgument.standard

  @Option(help: "The timeout in seconds. Default: none.")
  var timeout: SecondsArgument?

  @Flag(help: "Print one JSON object per image.")
  var json = false

  @OptionGroup var options: PipelineOptions

  func validate() throws {
    try check("quality", quality, in: 0...100)
    if case .percent = size {
      throw ValidationError("--size takes pixels, for example 400x300 or 800. Convert the file with halcyon convert.")
    }
    // An unknown option is the mistake then, whose value looks like a source.
    guard Arguments.areChecked else { return }
    if let output, case .file = try OutputTarget(output), sources.count > 1 {
      throw ValidationError("\(sources.count) images do not fit into the file \(output). Name a folder, as \(output)/.")
    }
  }

  func run() async throws {
    let pipeline = try options.pipeline()
    try await Interruption.run(with: pipeline) { try await getAll(with: pipeline) }
  }

  private func getAll(with pipeline: ImagePipeline) async throws {
    let target = try output.map { try OutputTarget($0) }
    if case .file(let path, _) = target { try OutputFile.check(path, overwrites: overwrite) }
    var hasFailed = false
    var written: Set<String> = []
    for source in sources {
      do {
        let report = try await get(source, to: target, with: pipeline, besides: &written)
        show(json ? try JSONLine.encode(report.fields) : report.line, target)
      } catch {
        try Task.checkCancellation()
        hasFailed = true
        let message = Advice.describe(error, of: source)
        if json {
          show(try JSONLine.encode(["address": source, "error": message]), target)
        } else {
          StandardError.write("Error: \(message)")
        }
      }
    }
    await pipeline.cache.flush()
    if hasFailed { throw ExitCode.failure }
  }

  private func get(
    _ source: String, to target: OutputTarget?, with pipeline: ImagePipeline, besides written: inout Set<String>
  ) async throws -> GetReport {
    let byteLimit = pipeline.configuration.limits.encodedByteCount
    let imageSource = try await SourceArgument.source(source, byteLimit: byteLimit)
    var request = ImageRequest(source: imageSource, size: size?.target ?? .original)
    request.cachePolicy = freshness.policy
    // The bytes that are written without conversion, so that no second load contacts the server again.
    request.options.keepsEncodedData = true
    request.timeout = timeout?.duration
    let start = ContinuousClock.now
    let response = try await load(request, with: pipeline)
    let elapsed = start.duration(to: .now)
    var report = GetReport(address: source, response: response, milliseconds: elapsed.roundedMilliseconds)
    guard let target else { return report }
    let result = try await write(response, of: request, source, to: target, from: pipeline, besides: &written)
    report.output = result.path
    report.isStill = response.image.info.frameCount > 1 && result.frameCount == 1
    return report
  }

  private func load(_ request: ImageRequest, with pipeline: ImagePipeline) async throws -> ImageResponse {
    let task = pipeline.task(for: request)
    var bar = ProgressBar()
    defer { if Task.isCancelled { bar.interrupt() } else { bar.clear() } }
    return try await withTaskCancellationHandler {
      for await event in task.events {
        if case .progress(let progress) = event { bar.show(progress) }
      }
      return try await task.response
    } onCancel: {
      task.cancel()
    }
  }

  /// Writes an image, with its original bytes if it needs no conversion, and returns the path and the number of frames
  /// that were written.
  ///
  /// - Parameter written: The paths written before, which are not written again: the names are numbered.
  private func write(
    _ response: ImageResponse, of request: ImageRequest, _ source: String, to target: OutputTarget,
    from pipeline: ImagePipeline, besides written: inout Set<String>
  ) async throws -> (path: String?, frameCount: Int) {
    var (path, format) = target.destination(of: response.image, source: source)
    let data: Data
    if quality == nil, response.image.info.format == format, response.image.size == response.image.info.pixelSize {
      if let encoded = response.encodedData { data = encoded } else { data = try await pipeline.data(for: request) }
    } else {
      if !StandardCodecs.writable.contains(format) {
        path = path.map { Self.path($0, suffix: "", fileExtension: "png") }
        format = .png
      }
      data = try await response.image.encoded(as: format, quality: Double(quality ?? 80) / 100)
    }
    let frameCount = try format.frameCount(of: data)
    guard let path else {
      try StandardOutput.write(data)
      return (nil, frameCount)
    }
    guard case .folder(let folder) = target else {
      try OutputFile.createFolder(path.parentFolder)
      try OutputFile.write(data, toNamed: path, overwrites: overwrite)
      return (path, frameCount)
    }
    try OutputFile.createFolder(folder)
    var (free, number) = (path, 1)
    while !written.insert(free).inserted {
      number += 1
      free = Self.path(path, suffix: "-\(number)", fileExtension: format.fileExtension)
    }
    try OutputFile.write(data, to: free, overwrites: overwrite)
    return (free, frameCount)
  }

  /// The path with a suffix of the name and another extension.
  private static func path(_ path: String, suffix: String, fileExtension: String) -> String {
    path.parentFolder.appendingPath("\(path.lastComponent.stemAndExtension.stem)\(suffix).\(fileExtension)")
  }

  /// Prints a line, on standard error if the image is on standard output.
  private func show(_ line: String, _ target: OutputTarget?) {
    if case .standardOutput = target { return StandardError.write(line) }
    StandardOutput.write(line)
  }
}
