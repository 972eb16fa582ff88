import ArgumentParser
import Foundation
import Halcyon
@_spi(Programs) import HalcyonImaging
import HalcyonPipeline
import HalcyonCodecs
import HalcyonProcessing

/// `halcyon convert`: resizes and converts files on all cores.
struct ConvertCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert", abstract: "Resizes and converts image files, many at once.",
    discussion: """
      Writes below the output folder what it finds below the sources, in the same folders. A file that fails is \
      reported, and the others are converted; an existing output is left as it is unless --overwrite or --update is given, \
      so that an interrupted run can be repeated. --rotate and --progressive alone do not encode \
      JPEG files again, nor do --metadata strip and no-place JPEG, PNG and WebP files. Outputs are written whole or not at all, also at Ctrl-C. In folders, hidden \
      files are skipped, and files that neither are images nor have the extension of one. Animations stay animated in gif, webp and avif; in other formats \
      they become their first frame, which the last line says.

      Examples:
        halcyon convert photo.heic -o photo.jpg
        halcyon convert photo.heic -o . --format jpeg
        halcyon convert animation.gif -o animation.webp
        halcyon convert photos -r -o thumbnails --size 400x400 --format webp --quality 75
        halcyon convert 'photos/**/*.png' -o out --name '{name}-{width}.{ext}'
        halcyon convert photos -o web --size 1600 --max-output 300K --format webp --keep-dates
        halcyon convert photos -o web --size 400 --size 800 --size 1600 --format webp --update
        halcyon convert photos -o stripped --strip
        halcyon convert photos -o public --metadata no-place
        halcyon convert photos -o marked --rotate 90 --watermark logo.png
        halcyon convert phone.jpg -o small.jpg --size 800 --hdr keep
        halcyon convert photos -o squares --process 'rs:fill:400:400/g:sm'
        find . -newer last -name '*.jpg' -print0 | halcyon convert --files-from - -0 -o new --name '{date}-{nnn}.{ext}'

      Exit status: 0 if all files were converted or exist; 1 if one failed; 64 for wrong arguments; 130 after Ctrl-C.
      """)

  @Argument(
    help: "Files, folders, quoted patterns with *, ?, [...] and **, or - for standard input.", completion: .file())
  var sources: [String] = []

  @Option(
    help: """
      Also the files and folders that this file lists, one a line, or - for standard input. They are no patterns, and \
      keep their folders in the output, from the current one if they are below it, or else from the root.
      """,
    completion: .file())
  var filesFrom: String?

  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: "Null bytes end the paths of --files-from, as find -print0 writes.")
  var isNullSeparated = false

  @Option(
    name: .shortAndLong,
    help: """
      The folder for the results; created when missing. For one file also the file of the result, in the format of its \
      extension, or standard output, with -.
      """,
    completion: .file())
  var output: String

  @Option(
    help: """
      The names of the results below the output folder, with {name}, {ext}, {source-ext}, {width} and {height}; {n}, the \
      number of the image, with zeros in {nnn}; {date}, the day of the photograph or of its file. With {folder}, the \
      folder of the source from the current one, the results are in no other folders. Default: {name}.{ext}, or \
      {name}-{width}.{ext} for several sizes.
      """)
  var name: NamePattern?

  @Flag(name: .shortAndLong, help: "Search folders in folders.")
  var recursive = false

  @Option(
    name: .customLong("size"), parsing: .singleValue,
    help: """
      The size in pixels, for example 400x300, 400x or x300; 800 for the longest side; 50% of each image. Images are not \
      enlarged. Several make a result of each size. Default: unchanged.
      """)
  var sizes: [SizeArgument] = []

  @Option(
    help: """
      How images get the size: fit (the whole image inside), fill (cropped to fill it) or exact (distorted, or enlarged, \
      if necessary).
      """)
  var resize = ResizeArgument.fit

  @OptionGroup var processing: ProcessingArguments

  @Option(help: "jpeg, png, webp, gif, avif or jxl. Default: the source's, or jpeg or png.")
  var format: FormatArgument?

  @Option(help: "The quality of lossy formats from 0 to 100. Default: 80.")
  var quality: Int?

  @Option(
    help: "The most bytes of a result, for example 200K: of lossy formats the best quality that fits, up to --quality.")
  var maxOutput: ByteCountArgument?

  @Flag(help: "Lose no colours: in webp, png and jxl, and where a jpeg is only rotated or made progressive.")
  var lossless = false

  @Option(
    help:
      "The most colours of png and gif, from 2 to 256; images with more are dithered. Default: no limit, 256 in gif.")
  var colors: Int?

  @Option(
    help: """
      The effort for smaller webp, avif and jxl files, from 1 (fastest) to 9 (smallest). Default: 6 for webp, 2 for avif, \
      4 for jxl.
      """)
  var effort: Int?

  @Flag(help: "Write progressive jpeg and interlaced png, which browsers show in passes while they arrive.")
  var progressive = false

  @Option(
    help: """
      The colour space of the results: srgb; p3, Display P3 with its profile; or source, which is p3 for sources with \
      more colours than sRGB. Default: srgb.
      """)
  var colorSpace: ColorSpaceArgument?

  @Option(
    help: """
      High dynamic range: standard, tone-mapped and without gain maps; or keep, which keeps gain maps in jpeg, and PQ in \
      avif, jxl and png. What is drawn or filtered becomes standard. Default: standard.
      """)
  var hdr: HDRArgument?

  @Option(
    help: """
      The metadata of the results (jpeg, png, webp): strip, copyright, keep, which may include the place of a \
      photograph, or no-place, all but that. Default: strip.
      """)
  var metadata: MetadataArgument?

  @Flag(
    help: """
      Remove all metadata, as --metadata strip does. If nothing else is asked, jpeg, png and webp are not encoded again.
      """)
  var strip = false

  @Flag(help: "Give the results the modification dates of their sources.")
  var keepDates = false

  @Flag(help: "Convert what there is of a cut or damaged image; otherwise it fails.")
  var partial = false

  @Flag(help: "Replace existing files, also sources if the output folder is theirs.")
  var overwrite = false

  @Flag(help: "Replace existing results of sources that have changed since.")
  var update = false

  @Option(name: .shortAndLong, help: "The most files converted at once. Default: the number of cores.")
  var jobs: Int?

  @Option(help: "The most memory for images in MiB. Fewer files are converted at once then. Default: half of it.")
  var memory: Int?

  @Flag(name: [.customShort("n"), .long], help: "Print what would be converted, and write nothing.")
  var dryRun = false

  @Flag(name: .shortAndLong, help: "Print errors only.")
  var quiet = false

  @Flag(name: .shortAndLong, help: "Print a line for every file.")
  var verbose = false

  @Flag(help: "Print one JSON object per file.")
  var json = false

  @Option(help: "The most pixels of all frames of an animation together.")
  var maxAnimationPixels = 250_000_000

  @OptionGroup var limits: LimitOptions

  func validate() throws {
    try check("quality", quality, in: 0...100)
    try check("colors", colors, in: 2...256)
    try check("effort", effort, in: 1...9)
    try check("jobs", jobs, in: 1...1000)
    try check("memory", memory, in: 1 ... .max)
    try check("max-animation-pixels", maxAnimationPixels, in: 1 ... .max)
    try check("max-output", maxOutput?.byteCount, in: 1 ... .max)
    if quiet, verbose || json { throw ValidationError("--quiet prints errors only. Leave out --verbose and --json.") }
    if strip, let metadata, metadata != .strip {
      throw ValidationError("--strip removes what --metadata \(metadata.rawValue) keeps. Leave one of both out.")
    }
    if overwrite, update { throw ValidationError("--overwrite replaces more than --update. Leave one out.") }
    if lossless, maxOutput != nil || colors != nil {
      throw ValidationError("--max-output and --colors make files smaller by what --lossless keeps. Leave one out.")
    }
    let chosen = try processing.options()
    if lossless, chosen.quality > 0 || chosen.maxBytes > 0 {
      throw ValidationError("The options q and mb of --process lose what --lossless keeps. Leave one out.")
    }
    if isNullSeparated, filesFrom == nil { throw ValidationError("-0 is about the list of --files-from.") }
    if sizes.contains(where: { !resize.accepts($0) }) {
      throw ValidationError("--resize \(resize.rawValue) needs both sides, for example --size 400x300.")
    }
    // An unknown option is the mistake then, whose value looks like a source.
    if Arguments.areChecked { try checkPaths() }
  }

  /// Checks the sources, the output, and the format that it names.
  private func checkPaths() throws {
    if sources.isEmpty, filesFrom == nil { throw ValidationError("Name a file, a folder or a pattern.") }
    if let url = sources.first(where: SourceArgument.isURL) {
      throw ValidationError("\(url) is a URL, and convert reads files. Use halcyon get, which also converts.")
    }
    if filesFrom == StandardInput.argument, sources.contains(StandardInput.argument) {
      throw ValidationError("Standard input is either an image or the list of --files-from.")
    }
    if sizes.count > 1, let name, !name.usesSize {
      throw ValidationError("Several sizes need {width} or {height} in --name, to tell their results apart.")
    }
    _ = try destination()
    let format = try resultFormat()
    if metadata ?? .strip != .strip, let format, !format.abilities.carriesMetadata {
      throw ValidationError(
        "\(format.rawValue) files are written without metadata. Use --metadata strip, or jpeg, png or webp.")
    }
    if lossless, let format, !format.abilities.canBeLossless, format != .jpeg || rewriting == nil {
      throw ValidationError("\(format.rawValue) files lose colours. Use webp, png or jxl, or no --lossless.")
    }
  }

  func run() async throws {
    try await Interruption.run { try await convert() }
  }

  private func convert() async throws {
    let start = ContinuousClock.now
    var conversion = try Conversion(self)
    if let watermark = processing.watermark {
      conversion.mark = try await DecodedImage(
        data: InputFile(watermark).contents(byteLimit: conversion.limits.encodedByteCount)
      )
      .bitmap
    }
    // The output folder is not searched.
    var folder: String?
    if case .folder(let path, _) = conversion.destination {
      if !dryRun { try OutputFile.createFolder(path) }
      folder = path
    }
    let log = ConversionLog(conversion)
    if ProgressBar.isShown, !quiet, filesFrom == nil { countFiles(for: log, excluding: folder) }
    let claimed = ClaimedOutputs()
    let budget = MemoryBudget(byteLimit: memory.map { $0 << 20 } ?? MemoryBudget.defaultByteLimit)
    let files = SourceFiles(
      sources, list: try filesFrom.map { try LineReader($0, isNullSeparated: isNullSeparated) },
      isRecursive: recursive, isNumbered: namePattern.usesNumber, excluding: folder)
    let run = FileRun<Conversion.Outcome>(files) { [conversion] file, isStopped, report in
      // An output of this run, in a folder that is also a source.
      if !file.isNamed, claimed.contains(file.path) { return }
      try conversion.convert(file, memory: budget, claimed: claimed, isCancelled: isStopped, report)
    } report: {
      log.record($0)
    }
    do {
      try await run.run(width: jobs ?? ProcessInfo.processInfo.activeProcessorCount)
    } catch {
      log.showEnd(elapsed: start.duration(to: .now), isInterrupted: true)
      throw error
    }
    log.showEnd(elapsed: start.duration(to: .now), isInterrupted: false)
    if log.counts.failed > 0 { throw ExitCode.failure }
  }

  /// The names of the results.
  private var namePattern: NamePattern { name ?? (sizes.count > 1 ? .sized : .standard) }

  /// What is asked, if that need not encode pixels again; `nil` if it does, or nothing is asked.
  var rewriting: Conversion.Rewriting? {
    var others = processing
    others.rotate = nil
    guard sizes.isEmpty, quality == nil, maxOutput == nil, colors == nil, effort == nil, colorSpace == nil,
      hdr != .keep,
      others.isEmpty
    else { return nil }
    let rewriting = Conversion.Rewriting(quarterTurns: (processing.rotate ?? 0) / 90, isProgressive: progressive)
    return rewriting.changesPixels || strip || metadata == .strip || metadata == .noPlace ? rewriting : nil
  }

  /// Counts the files, for the progress bar, while the first are converted.
  private func countFiles(for log: ConversionLog, excluding folder: String?) {
    Thread.detachNewThread { [sources, recursive] in
      var files = SourceFiles(sources, isRecursive: recursive, excluding: folder)
      var count = 0
      while files.next() != nil { count += 1 }
      log.setTotal(count)
    }
  }

  /// An output with the extension of an image is a file, for one source that is a file.
  func destination() throws -> Conversion.Destination {
    if !output.hasImageExtension, output != "-", !OutputFile.isStream(output) || output.endsWithSlash {
      if output.isEmpty { throw ValidationError("The output has no name. Name a folder, a file, or -.") }
      // The output for one file is more likely a name with a mistake than a new folder with a dot.
      let hasExtension = !output.lastComponent.stemAndExtension.fileExtension.isEmpty
      if isOneFile, hasExtension, !output.endsWithSlash, !OutputFile.isFolder(output) {
        throw OutputTarget.unknownFormat(output)
      }
      return .folder(output.withoutEndSlashes, namePattern)
    }
    let target = try OutputTarget(output)
    if case .folder(let folder) = target { return .folder(folder.withoutEndSlashes, namePattern) }
    if sizes.count > 1 {
      throw ValidationError("\(sizes.count) sizes do not fit into \(output). Name a folder, as \(output)/.")
    }
    guard isOneFile else {
      // A file that does not exist is more likely a mistake than the second of two.
      if let missing = sources.first(where: { Self.isMissing($0) }) {
        throw ValidationError("\(InputError.unreadable(missing, code: ENOENT))")
      }
      throw ValidationError("Only one file fits into \(output). Name a folder, as \(output)/.")
    }
    if name != nil { throw ValidationError("--name names files in a folder, and \(output) is a file.") }
    if case .file(let path, let named) = target {
      if let named, let chosen = try chosenFormat(), chosen != named {
        throw ValidationError("\(output) is no name for the format \(chosen.rawValue). Leave one of both out.")
      }
      return .file(path)
    }
    return .standardOutput
  }

  /// Whether the source is a file, also a missing one, or standard input.
  private var isOneFile: Bool {
    guard filesFrom == nil, sources.count == 1, let source = sources.first else { return false }
    return source == StandardInput.argument || Self.isMissing(source) || stat(ofPath: source)?.isFolder == false
  }

  /// Whether there is no such file, and it is no pattern either.
  private static func isMissing(_ source: String) -> Bool {
    source != StandardInput.argument && stat(ofPath: source) == nil && Pattern(source) == nil
  }

  var encoders: [any ImageEncoder] {
    var settings = EncoderSettings()
    (settings.isJPEGProgressive, settings.isPNGInterlaced) = (progressive, progressive)
    if let effort {
      (settings.webPEffort, settings.avifSpeed, settings.jpegXLEffort) = (effort * 2 / 3, 10 - effort, effort)
    }
    return settings.encoders
  }

  var metadataPolicy: MetadataPolicy { (metadata ?? .strip).policy }

  var encodingOptions: EncodingOptions {
    // JPEG XL loses nothing at the best quality, WebP by an option.
    var options = EncodingOptions(quality: lossless ? 1 : Double(quality ?? 80) / 100, isLossless: lossless)
    options.colorLimit = colors
    return options
  }

  /// The format that an option names.
  private func chosenFormat() throws -> ImageFormat? { try format?.format ?? processing.options().format }

  /// The format that an option or the output names; `nil` for each source's own.
  func resultFormat() throws -> ImageFormat? {
    if let chosen = try chosenFormat() { return chosen }
    guard case .file = try destination(), case .file(_, let named) = try OutputTarget(output) else { return nil }
    return named
  }
}
