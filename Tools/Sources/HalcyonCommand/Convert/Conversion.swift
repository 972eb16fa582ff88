import Foundation
import Halcyon
@_spi(Programs) import HalcyonCodecs
@_spi(Programs) import HalcyonImaging
import HalcyonPipeline
import HalcyonProcessing

/// How images are converted, and where the results are written.
struct Conversion: Sendable {
  /// What is asked.
  let command: ConvertCommand
  /// The format of the results; `nil` for each source's own.
  let format: ImageFormat?
  let destination: Destination
  /// What is asked, if that need not encode pixels again.
  let rewriting: Rewriting?
  let limits: ImageLimits
  let options: EncodingOptions
  /// The image that is drawn over results.
  var mark: Bitmap?

  init(_ command: ConvertCommand) throws {
    self.command = command
    (format, destination, rewriting) = (try command.resultFormat(), try command.destination(), command.rewriting)
    (limits, options) = (command.limits.limits(), command.encodingOptions)
  }

  /// Changes of a file that need not encode its pixels again, besides those of its metadata.
  struct Rewriting {
    /// Clockwise.
    var quarterTurns: Int
    var isProgressive: Bool

    /// Whether more than the metadata changes.
    var changesPixels: Bool { quarterTurns > 0 || isProgressive }
  }

  /// Where results are written.
  enum Destination {
    case folder(String, NamePattern)
    /// The result of the only source.
    case file(String)
    case standardOutput
  }

  /// What became of one file.
  enum Outcome {
    case converted(ConversionReport)
    /// The output exists, and is not to be replaced.
    case exists(output: String)
    /// A file in a folder that is not an image.
    case notAnImage
  }

  /// A file that was made of a source.
  struct Made {
    var data: Data
    var size: PixelSize
    var frameCount = 1
    /// Whether the source was cut or damaged.
    var isPartial = false
    /// Whether pixels may be wrong, as a scan of the source is damaged.
    var isDamaged = false
    var isWithoutRange = false
    var isEncoded = true
  }

  /// Converts one file to all sizes on the calling thread, and reports each result.
  ///
  /// - Throws: ``ConversionError``, `InputError`, `ImageDecodingError`, `ImageEncodingError` or `OutputError`.
  func convert(
    _ file: SourceFile, memory: MemoryBudget, claimed: ClaimedOutputs, isCancelled: @escaping @Sendable () -> Bool,
    _ report: (Outcome) -> Void
  ) throws {
    let input = try file.open(byteLimit: limits.encodedByteCount, isCancelled: isCancelled)
    guard let source = try SourceImage.format(of: input, file) else { return report(.notAnImage) }
    var output: String?
    // Checked before the file is read, where the name does not depend on what is in it.
    if !destination.usesContent, let format = format ?? Self.kept(source, hasAlpha: nil) {
      let path = outputPath(of: file, NameValues(format: format))
      if try !claim(path, claimed, for: file, input.date) { return report(.exists(output: path)) }
      output = path
    }
    guard let image = try SourceImage(file, input, byteLimit: limits.encodedByteCount) else {
      return report(.notAnImage)
    }
    var made: Set<PixelSize> = []
    for size in command.sizes.isEmpty ? [nil] : command.sizes.map(Optional.some) {
      let result = try convert(image, to: size, output: output, memory, claimed, isCancelled) {
        made.insert($0).inserted
      }
      if let result { report(result) }
    }
  }

  /// Converts an image to one size; `nil` if that has been done.
  ///
  /// - Parameter isNew: Whether the source has no result of a size yet.
  private func convert(
    _ image: SourceImage, to size: SizeArgument?, output: String?, _ memory: MemoryBudget, _ claimed: ClaimedOutputs,
    _ isCancelled: @escaping @Sendable () -> Bool, isNew: (PixelSize) -> Bool
  ) throws -> Outcome? {
    let start = ContinuousClock.now
    let file = image.file
    let format = format ?? Self.kept(image.format, hasAlpha: image.info.hasAlpha) ?? .png
    let mayKeepPixels = format == image.format && rewriting != nil
    if options.isLossless, !format.abilities.canBeLossless, !mayKeepPixels {
      throw ConversionError.notLossless(file.title, format)
    }
    let chosen = try command.processing.options(over: sizeOptions(of: image, size))
    let frameCount = image.info.frameCount > 1 && format.abilities.canBeAnimated ? image.info.frameCount : 1
    let plan = try ProcessingPlan(
      chosen, source: image.info.pixelSize, isVector: image.format.abilities.isVector, isAnimated: frameCount > 1,
      // A source over the limit is the decoder's error.
      sideLimit: max(limits.sideLength, image.info.pixelSize.width, image.info.pixelSize.height), mark: mark)
    if !isNew(plan.resultSize) { return nil }
    let path = try output ?? outputPath(of: file, nameValues(of: image, format, plan.resultSize))
    if output == nil, try !claim(path, claimed, for: file, image.fileDate, plan.resultSize) {
      return .exists(output: path)
    }
    func report(_ made: Made?) -> Outcome {
      .converted(
        ConversionReport(
          image: image, output: path, format: format, size: made?.size ?? plan.resultSize, made: made,
          milliseconds: start.duration(to: .now).roundedMilliseconds))
    }
    if command.dryRun { return report(nil) }
    let made = try memory.withReservation(image.byteCount(of: plan)) { () throws -> Made in
      if let made = try rewritten(image, as: format, plan.resultSize) { return made }
      if options.isLossless, !format.abilities.canBeLossless { throw ConversionError.notLossless(file.title, format) }
      return try rendered(image, plan.rendition(encoding(chosen, format), frameLimit: frameCount), isCancelled)
    }
    if isCancelled() { throw CancellationError() }
    if try !write(made.data, to: path, date: command.keepDates ? image.fileDate : nil) { return .exists(output: path) }
    return report(made)
  }

  /// Whether the place of a photograph is removed from the metadata.
  private var removesPlace: Bool { command.metadata == .noPlace }

  private func sizeOptions(of image: SourceImage, _ size: SizeArgument?) -> ProcessingOptions {
    var options = ProcessingOptions()
    if let size { command.resize.set(size, of: image.info.pixelSize, in: &options) }
    return options
  }

  private func nameValues(of image: SourceImage, _ format: ImageFormat, _ size: PixelSize) throws -> NameValues {
    NameValues(format: format, size: size, date: destination.usesDate ? try image.day : "")
  }

  private func outputPath(of file: SourceFile, _ result: NameValues) -> String {
    switch destination {
    case .folder(let folder, let names): folder.appendingPath(names.path(for: file, result))
    case .file(let path): path
    case .standardOutput: "-"
    }
  }

  /// Whether the output is to be written. Throws if another source of the same run, or another size, has this output.
  private func claim(
    _ output: String, _ claimed: ClaimedOutputs, for file: SourceFile, _ date: timespec?, _ size: PixelSize? = nil
  ) throws -> Bool {
    switch claimed.claim(output, for: command.sizes.count > 1 ? "\(file.path) \(size?.description ?? "")" : file.path) {
    case .granted:
      if command.update { return isOutdated(output, date) }
      switch destination {
      case .folder: return command.overwrite || stat(ofPath: output, followsLinks: false) == nil
      case .file: try OutputFile.check(output, overwrites: command.overwrite)
      case .standardOutput: break
      }
      return true
    case .repeated: return false
    case .taken: throw ConversionError.sameOutput(file.path, output: output)
    }
  }

  /// Whether an output is missing, or older than its source.
  private func isOutdated(_ output: String, _ source: timespec?) -> Bool {
    guard let source, let status = stat(ofPath: output), status.isRegularFile else { return true }
    let existing = status.modificationDate
    return (existing.tv_sec, existing.tv_nsec) < (source.tv_sec, source.tv_nsec)
  }

  /// The file with other metadata, turned or progressive; `nil` if its pixels have to be encoded again.
  private func rewritten(_ image: SourceImage, as format: ImageFormat, _ size: PixelSize) throws -> Made? {
    guard let rewriting, format == image.format else { return nil }
    do {
      var data: Data?
      if rewriting.changesPixels {
        guard format == .jpeg else { return nil }
        try limits.check(image.info.pixelSize, format: format)
        data = try JPEGTransform.transformed(
          image.bytes, quarterTurns: rewriting.quarterTurns, isProgressive: rewriting.isProgressive,
          metadata: command.metadataPolicy)
        if removesPlace { data = try data.flatMap(ImageMetadata.removedPlace) }
      } else {
        data =
          try removesPlace ? ImageMetadata.removedPlace(from: image.bytes) : ImageMetadata.removed(from: image.bytes)
      }
      return data.map { Made(data: $0, size: size, frameCount: image.info.frameCount, isEncoded: false) }
    } catch  where command.partial {
      return nil
    }
  }

  private func encoding(_ chosen: ProcessingOptions, _ format: ImageFormat) -> Rendition.Encoding {
    var encoding = Rendition.Encoding(
      as: format, quality: chosen.quality > 0 ? Double(chosen.quality) / 100 : options.quality,
      byteLimit: command.maxOutput?.byteCount ?? (chosen.maxBytes > 0 ? chosen.maxBytes : nil),
      metadata: command.metadataPolicy)
    (encoding.colorLimit, encoding.isLossless) = (options.colorLimit, options.isLossless)
    return encoding
  }

  private func rendered(
    _ source: SourceImage, _ rendition: Rendition, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws -> Made {
    if isCancelled() { throw CancellationError() }
    let pixelLimit = command.maxAnimationPixels
    if rendition.frameLimit > 1, source.info.frameCount > pixelLimit / max(1, source.info.pixelSize.pixelCount) {
      throw ConversionError.tooManyFrames(source.file.title, source.info, limit: pixelLimit)
    }
    let rendered = try rendition.rendered(
      from: source.bytes, by: source.decoder, encoders: command.encoders, limits: limits,
      colorSpace: (command.colorSpace ?? .srgb).target, dynamicRange: command.hdr == .keep ? .high : .standard,
      allowsPartial: command.partial, isCancelled: isCancelled)
    guard var data = rendered.data else {
      throw ImageEncodingError.unsupportedFormat(rendition.encoding?.format ?? .png)
    }
    if removesPlace {
      guard let withoutPlace = try ImageMetadata.removedPlace(from: data) else {
        throw ConversionError.withPlace(source.file.title)
      }
      data = withoutPlace
    }
    let lacksRange = rendered.image.map { !$0.info.droppedContent.isDisjoint(with: [.gainMap, .highDynamicRange]) }
    return Made(
      data: data, size: rendered.size, frameCount: rendered.frameCount, isPartial: rendered.isPartial,
      isDamaged: rendered.image?.isDamaged ?? false, isWithoutRange: command.hdr == .keep && lacksRange ?? false)
  }

  /// Writes a result, and creates the folders of its path; `false` if it exists and is not to be replaced.
  private func write(_ data: Data, to path: String, date: timespec?) throws -> Bool {
    let replaces = command.overwrite || command.update
    switch destination {
    case .standardOutput: try StandardOutput.write(data)
    case .file:
      try OutputFile.createFolder(path.parentFolder)
      try OutputFile.write(data, toNamed: path, overwrites: replaces, date: date)
    case .folder:
      do {
        try OutputFile.createFolder(path.parentFolder)
        try OutputFile.write(data, to: path, overwrites: replaces, date: date)
      } catch .exists {
        return false
      } catch {
        throw error
      }
    }
    return true
  }

  /// The format of a result that keeps the source's as far as it can be written: photographs become JPEG, other images
  /// PNG. `nil` if that depends on the alpha channel, which is not known.
  private static func kept(_ source: ImageFormat, hasAlpha: Bool?) -> ImageFormat? {
    if StandardCodecs.writable.contains(source) { return source }
    guard source.abilities.isPhotographic else { return .png }
    return hasAlpha.map { $0 ? .png : .jpeg }
  }
}

extension Conversion.Destination {
  /// Whether a path depends on what is in the file.
  fileprivate var usesContent: Bool {
    if case .folder(_, let names) = self { names.usesContent } else { false }
  }

  fileprivate var usesDate: Bool {
    if case .folder(_, let names) = self { names.usesDate } else { false }
  }
}

/// Why a file was not converted.
enum ConversionError: Error, CustomStringConvertible {
  case sameOutput(String, output: String)
  case tooManyFrames(String, ImageInfo, limit: Int)
  case notLossless(String, ImageFormat)
  case withPlace(String)

  /// What the errors of many files of one run have in common, if it is the same mistake; `nil` if each may have its own.
  static func commonReason(of error: any Error) -> String? {
    switch error {
    case ConversionError.sameOutput: "same output"
    case SourceImageError.notRead(_, let format): "format \(format.rawValue)"
    case ConversionError.notLossless(_, let format): "lossless \(format.rawValue)"
    case ConversionError.tooManyFrames: "frames"
    case InputError.tooLarge: "bytes"
    case ImageDecodingError.tooManyPixels: "pixels"
    case ImageDecodingError.sideTooLong: "side"
    case ImageDecodingError.tooManyBytes: "bytes"
    case ImageEncodingError.tooLarge(let format, _): "size of \(format.rawValue)"
    case ImageEncodingError.overByteLimit(let format, _, _): "output \(format.rawValue)"
    case ImageEncodingError.unsupportedFormat(let format): "writing \(format.rawValue)"
    case OutputError.unwritable(_, let code): "unwritable \(code)"
    default: nil
    }
  }

  var description: String {
    switch self {
    case .sameOutput(let path, let output):
      """
      \(path) was not converted: \(output) is also the output of another file. Tell them apart, for example with \
      --name '{folder}/{name}-{source-ext}.{ext}'.
      """
    case .tooManyFrames(let path, let info, let limit):
      """
      \(path) has \(info.frameCount) frames of \(info.pixelSize) pixels, together over \(limit). Raise \
      --max-animation-pixels to accept it, or convert its first frame with --format jpeg or png.
      """
    case .notLossless(let path, let format):
      "\(path) would become \(format.rawValue), which loses colours. Use --format webp, png or jxl, or no --lossless."
    case .withPlace(let path):
      "The place cannot be removed from the metadata of \(path). Use --metadata copyright or strip."
    }
  }
}
