import ArgumentParser
import Foundation
import Halcyon
import HalcyonCache

/// `halcyon cache warm`: downloads images into a cache.
struct CacheWarmCommand: AsyncParsableCommand {
  /// The most URLs that are in memory at once.
  private static let batchCount = 1000

  static let configuration = CommandConfiguration(
    commandName: "warm", abstract: "Downloads images into a cache before they are needed.",
    discussion: """
      Images that are stored already are not downloaded again, whatever their age: repeat an interrupted run to continue \
      it. A part of a download is kept at Ctrl-C, and completed by the next run if the server supports ranges.

      The cache may grow to --size-limit, or to its present size if that is larger: nothing that it has is evicted for \
      lack of that option.

      Examples:
        halcyon cache warm https://example.com/a.jpg https://example.com/b.jpg
        halcyon cache warm --file urls.txt --size-limit 2G
        halcyon cache warm --file urls.txt --cache-dir /var/cache/halcyon-serve

      Exit status: 0 if all images are stored; 1 if one could not be downloaded; 64 for wrong arguments; 130 after Ctrl-C.
      """)

  @Argument(help: "URLs of images.")
  var urls: [String] = []

  @Option(
    help: "A file with one URL a line; - for standard input. Empty lines and lines that begin with # are skipped.",
    completion: .file())
  var file: [String] = []

  @OptionGroup var options: CacheOptions
  @OptionGroup var limits: LimitOptions

  @Option(help: "The most disk space of the cache, for example 2G. Default: 512M.")
  var sizeLimit: ByteCountArgument?

  @Option(name: .shortAndLong, help: "The most downloads at once.")
  var jobs = 8

  @Flag(help: "Print one JSON object per image that could not be downloaded, and one with the counts.")
  var json = false

  func validate() throws {
    if urls.isEmpty, file.isEmpty { throw ValidationError("Name URLs, or a --file of URLs.") }
    try check("jobs", jobs, in: 1...64)
  }

  func run() async throws {
    let pipeline = try await pipeline()
    try await Interruption.run(with: pipeline) { try await warm(pipeline) }
  }

  private func pipeline() async throws -> ImagePipeline {
    var disk = DiskCacheConfiguration(cleaning: .whenAsked)
    let isPresent = DiskCache.exists(in: try options.url)
    let present = try await isPresent ? options.cache(CacheOptions.passive).totalSize : 0
    disk.sizeLimit = Self.limit(sizeLimit?.byteCount, present: present)
    let store = DiskCache(directory: try options.url, configuration: disk)
    let pipeline = ImagePipeline { $0.cache = ImageCache(store: store) }
    var configuration = pipeline.configuration
    configuration.limits = limits.limits(configuration.limits)
    return ImagePipeline(configuration: configuration)
  }

  /// The most bytes of a cache that has `present` bytes.
  static func limit(_ option: Int?, present: Int) -> Int {
    // The size counts the index and the folders as well.
    option ?? max(DiskCacheConfiguration().sizeLimit, present + (64 << 20))
  }

  private func warm(_ pipeline: ImagePipeline) async throws {
    var run = WarmRun(pipeline: pipeline, width: jobs, isJSON: json)
    defer { run.end(isInterrupted: Task.isCancelled) }
    var batch: [String] = []
    func add(_ url: String) async throws {
      batch.append(url)
      if batch.count >= Self.batchCount {
        try await run.load(batch)
        batch = []
      }
    }
    for url in urls { try await add(url) }
    for path in file {
      let lines = try LineReader(path)
      while let line = try lines.next() {
        let url = line.trimmingCharacters(in: .whitespacesAndNewlines)
        if !url.isEmpty, url.utf8.first != UInt8(ascii: "#") { try await add(url) }
      }
    }
    try await run.load(batch)
    run.end(isInterrupted: false)
    await pipeline.cache.flush()
    StandardOutput.write(json ? try JSONLine.encode(run.counts.fields) : run.counts.line)
    if run.counts.failed > 0 { throw ExitCode.failure }
  }
}

/// The batches of one run of `halcyon cache warm`.
private struct WarmRun {
  struct Counts {
    var downloaded = 0
    var stored = 0
    var failed = 0

    var fields: [String: (any Encodable)?] { ["downloaded": downloaded, "stored": stored, "failed": failed] }

    var line: String {
      "Downloaded \(downloaded.counted("image")); \(stored) \(stored == 1 ? "was" : "were") stored already; \(failed) failed."
    }
  }

  let prefetcher: ImagePrefetcher
  let isJSON: Bool
  private(set) var counts = Counts()
  private var bar = ProgressBar()

  init(pipeline: ImagePipeline, width: Int, isJSON: Bool) {
    prefetcher = ImagePrefetcher(pipeline: pipeline, destination: .store, concurrencyLimit: width)
    self.isJSON = isJSON
  }

  /// Loads images, and waits for the last.
  mutating func load(_ urls: [String]) async throws {
    guard !urls.isEmpty else { return }
    let requests = urls.map { url in
      var request = ImageRequest(source: .string(url))
      request.cachePolicy = .cacheFirst
      return request
    }
    let task = prefetcher.start(requests)
    try await withTaskCancellationHandler {
      for await progress in task.progress { show(progress) }
      let result = await task.result
      try Task.checkCancellation()
      counts.downloaded += result.completed.count
      counts.stored += result.skipped.count
      counts.failed += result.failed.count
      bar.clear()
      for (request, error) in result.failed { try report(error, of: request) }
    } onCancel: {
      task.stop()
    }
  }

  mutating func end(isInterrupted: Bool) {
    if isInterrupted { bar.interrupt() } else { bar.clear() }
  }

  private mutating func show(_ progress: BatchProgress) {
    if Task.isCancelled { return }
    let before = counts.downloaded + counts.stored + counts.failed
    let ended = before + progress.completedCount + progress.failedCount
    let failed = counts.failed + progress.failedCount
    bar.show(
      fraction: Double(ended) / Double(max(1, before + progress.totalCount)),
      "\(ended) of \(before + progress.totalCount)\(failed > 0 ? ", \(failed) failed" : "")")
  }

  private func report(_ error: ImageError, of request: ImageRequest) throws {
    let text = Advice.describe(error)
    if isJSON {
      StandardOutput.write(try JSONLine.encode(["address": request.source.description, "error": text]))
    } else {
      StandardError.write("Error: \(text)")
    }
  }
}
