import ArgumentParser
import Foundation
import Halcyon
import HalcyonCodecs

/// `halcyon convert`: resizes and converts files on all cores.
struct ConvertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert", abstract: "Resizes and converts image files, many at once.",
    discussion: """
      Writes below the output folder what it finds below the sources, in the same folders. A file that fails is \
      reported, and the others are converted; an existing output is left as it is unless --overwrite is given, so that \
      an interrupted run can be repeated. Outputs are written whole or not at all, also at Ctrl-C. In folders, hidden \
      files and files that are not images are skipped. Animations become their first frame.

      Examples:
        halcyon convert photo.heic -o . --format jpeg
        halcyon convert photos -r -o thumbnails --size 400x400 --format webp --quality 75
        halcyon convert 'photos/**/*.png' -o out --name '{name}-{width}.{ext}'

      Exit status: 0 if all files were converted or exist; 1 if one failed; 64 for wrong arguments; 130 after Ctrl-C.
      """)

  @Argument(help: "Files, folders, or quoted patterns with *, ?, [...] and **.", completion: .file())
  var sources: [String]

  @Option(name: .shortAndLong, help: "The folder for the results; created when missing.", completion: .directory)
  var output: String

  @Option(
    help: """
      The names of the results below the output folder, with {name}, {ext}, {source-ext}, {width} and {height}.
      """)
  var name = NamePattern.standard

  @Flag(name: .shortAndLong, help: "Search folders in folders.")
  var recursive = false

  @Option(help: "The size in pixels, for example 400x300, 400x or x300. Images are not enlarged. Default: unchanged.")
  var size: SizeArgument?

  @Option(
    help: """
      How images get the size: fit (the whole image inside), fill (cropped to fill it) or exact (distorted, or enlarged, \
      if necessary).
      """)
  var resize = ResizeArgument.fit

  @Option(help: "jpeg, png, webp, gif, avif or jxl. Default: that of the source, or jpeg or png.")
  var format: FormatArgument?

  @Option(help: "The quality of lossy formats from 0 to 100.")
  var quality = 80

  @Option(
    help: """
      The metadata of the results (jpeg, png, webp): strip, copyright, or keep, which may include the place of a \
      photograph.
      """)
  var metadata = MetadataArgument.strip

  @Flag(help: "Replace existing files, also sources if the output folder is theirs.")
  var overwrite = false

  @Option(name: .shortAndLong, help: "The most files converted at once. Default: the number of cores.")
  var jobs: Int?

  @Option(help: "The most memory for images in MiB. Fewer files are converted at once then. Default: half of it.")
  var memory: Int?

  @Flag(name: .shortAndLong, help: "Print a line for every file.")
  var verbose = false

  @Flag(help: "Print one JSON object per file.")
  var json = false

  @OptionGroup var limits: LimitOptions

  func validate() throws {
    if !(0...100).contains(quality) { throw ValidationError("--quality has to be from 0 to 100, not \(quality).") }
    for (name, value) in [("jobs", jobs), ("memory", memory)] {
      if let value, value < 1 { throw ValidationError("--\(name) has to be at least 1, not \(value).") }
    }
    if sources.isEmpty { throw ValidationError("Name a file, a folder or a pattern.") }
    _ = try target()
    if metadata != .strip, let format, ![.jpeg, .png, .webp].contains(format.format) {
      throw ValidationError(
        "\(format.format.rawValue) files are written without metadata. Use --metadata strip, or jpeg, png or webp.")
    }
  }

  func run() async throws {
    try await Interruption.run { try await convert() }
  }

  private func convert() async throws {
    let start = ContinuousClock.now
    let folder = output.count > 1 && output.hasSuffix("/") ? String(output.dropLast()) : output
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw OutputError.unwritable(path: folder, code: EACCES)
    }
    let conversion = Conversion(
      size: try target(), format: format?.format, options: EncodingOptions(quality: Double(quality) / 100),
      metadata: metadata.policy, limits: limits.limits(), folder: folder, names: name, overwrites: overwrite)
    let log = ConversionLog(isJSON: json, isVerbose: verbose)
    if ProgressBar.isShown { countFiles(for: log, excluding: folder) }
    let converter = Converter(
      conversion, SourceFiles(sources, isRecursive: recursive, excluding: folder),
      memory: MemoryBudget(limit: memory.map { $0 << 20 } ?? MemoryBudget.defaultLimit)
    ) { log.record($0) }
    defer { log.end(isInterrupted: Task.isCancelled) }
    try await converter.run(width: jobs ?? ProcessInfo.processInfo.activeProcessorCount)
    log.end(isInterrupted: false)
    let counts = log.counts
    if !json { print(counts.summary(elapsed: start.duration(to: .now))) }
    if counts.failed > 0 { throw ExitCode.failure }
  }

  /// Counts the files, for the progress bar, while the first are converted.
  private func countFiles(for log: ConversionLog, excluding folder: String) {
    Thread.detachNewThread { [sources, recursive] in
      var files = SourceFiles(sources, isRecursive: recursive, excluding: folder)
      var count = 0
      while files.next() != nil { count += 1 }
      log.setTotal(count)
    }
  }

  private func target() throws -> TargetSize {
    guard let size else { return .original }
    guard let target = resize.target(size) else {
      throw ValidationError("--resize \(resize.rawValue) needs both sides, for example --size 400x300.")
    }
    return target
  }
}
