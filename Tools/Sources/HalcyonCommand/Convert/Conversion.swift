import Foundation
import Halcyon
import HalcyonCodecs
@_spi(Programs) import HalcyonImaging
import HalcyonPipeline
import HalcyonProcessing

/// How images are converted, and where the results are written.
struct Conversion: Sendable {
  /// The size of the results; `nil` leaves each as it is.
  var size: SizeArgument?
  var resize: ResizeArgument
  /// What else changes the picture.
  var processing: ProcessingArguments
  /// The image that is drawn over results.
  var mark: Bitmap?
  var colorSpace: TargetColorSpace
  /// Whether high dynamic range is kept.
  var dynamicRange: DynamicRange
  /// The format of the results; `nil` for each source's own.
  var format: ImageFormat?
  var encoders: [any ImageEncoder]
  var options: EncodingOptions
  /// The most bytes of a result.
  var byteLimit: Int?
  var metadata: MetadataPolicy
  /// Whether nothing is asked but to remove the metadata, for which some files are not encoded again.
  var onlyStrips: Bool
  var limits: ImageLimits
  /// The most pixels of all frames of an animation together.
  var animationPixelLimit: Int
  var destination: Destination
  var overwrites: Bool
  /// Whether a cut or damaged image is converted as far as it goes.
  var allowsPartial: Bool
  /// Whether results get the modification dates of their sources.
  var keepsDates: Bool
  /// Whether nothing is written.
  var isDryRun: Bool

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
  private struct Made {
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

  /// Converts one file on the calling thread.
  ///
  /// - Throws: ``ConversionError``, `InputError`, `ImageDecodingError`, `ImageEncodingError` or `OutputError`.
  func convert(
    _ file: SourceFile, memory: MemoryBudget, claimed: ClaimedOutputs, isCancelled: @escaping @Sendable () -> Bool
  ) throws -> Outcome {
    let start = ContinuousClock.now
    let input = try file.open(byteLimit: limits.encodedByteCount, isCancelled: isCancelled)
    guard let source = try SourceImage.format(of: input, file) else { return .notAnImage }
    var output: String?
    // Checked before the file is read, where the name does not depend on what is in it.
    if !destination.usesContent, let format = format ?? Self.kept(source, hasAlpha: nil) {
      let path = outputPath(of: file, NameValues(format: format))
      if try !claim(path, claimed, for: file) { return .exists(output: path) }
      output = path
    }
    guard let image = try SourceImage(file, input, byteLimit: limits.encodedByteCount) else { return .notAnImage }
    let format = format ?? Self.kept(source, hasAlpha: image.info.hasAlpha) ?? .png
    if options.isLossless, !format.abilities.canBeLossless {
      throw ConversionError.notLossless(file.title, format)
    }
    let chosen = try processing.options(over: sizeOptions(of: image))
    let frameCount = image.info.frameCount > 1 && format.abilities.canBeAnimated ? image.info.frameCount : 1
    let plan = try ProcessingPlan(
      chosen, source: image.info.pixelSize, isVector: image.format.abilities.isVector, isAnimated: frameCount > 1,
      // A source over the limit is the decoder's error.
      sideLimit: max(limits.sideLength, image.info.pixelSize.width, image.info.pixelSize.height), mark: mark)
    let path = try output ?? outputPath(of: file, nameValues(of: image, format, plan.resultSize))
    if output == nil, try !claim(path, claimed, for: file) { return .exists(output: path) }
    if isDryRun {
      return .converted(ConversionReport(image, output: path, format, plan.resultSize, start: start))
    }
    let made =
      try stripped(image, as: format)
      ?? memory.withReservation(image.byteCount(of: plan)) {
        try rendered(image, plan.rendition(encoding(chosen, format), frameLimit: frameCount), isCancelled)
      }
    if isCancelled() { throw CancellationError() }
    if try !write(made.data, to: path, date: keepsDates ? image.fileDate : nil) { return .exists(output: path) }
    var report = ConversionReport(image, output: path, format, made.size, start: start)
    (report.outputBytes, report.partial, report.encoded) = (made.data.count, made.isPartial, made.isEncoded)
    (report.withoutRange, report.outputFrames) = (made.isWithoutRange, made.frameCount)
    report.damaged = made.isDamaged
    return .converted(report)
  }

  private func sizeOptions(of image: SourceImage) -> ProcessingOptions {
    var options = ProcessingOptions()
    if let size { resize.set(size, of: image.info.pixelSize, in: &options) }
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

  /// Whether the output is to be written. Throws if another source of the same run has this output.
  private func claim(_ output: String, _ claimed: ClaimedOutputs, for file: SourceFile) throws -> Bool {
    switch claimed.claim(output, for: file.path) {
    case .granted:
      switch destination {
      case .folder: return overwrites || stat(ofPath: output, followsLinks: false) == nil
      case .file: try OutputFile.check(output, overwrites: overwrites)
      case .standardOutput: break
      }
      return true
    case .repeated: return false
    case .taken: throw ConversionError.sameOutput(file.path, output: output)
    }
  }

  /// The file without its metadata; `nil` if it is to be encoded.
  private func stripped(_ image: SourceImage, as format: ImageFormat) throws -> Made? {
    guard onlyStrips, format == image.format else { return nil }
    do {
      guard let data = try ImageMetadata.removed(from: image.bytes) else { return nil }
      return Made(data: data, size: image.info.pixelSize, frameCount: image.info.frameCount, isEncoded: false)
    } catch  where allowsPartial {
      return nil
    }
  }

  private func encoding(_ chosen: ProcessingOptions, _ format: ImageFormat) -> Rendition.Encoding {
    var encoding = Rendition.Encoding(
      as: format, quality: chosen.quality > 0 ? Double(chosen.quality) / 100 : options.quality,
      byteLimit: byteLimit ?? (chosen.maxBytes > 0 ? chosen.maxBytes : nil), metadata: metadata)
    (encoding.colorLimit, encoding.isLossless) = (options.colorLimit, options.isLossless)
    return encoding
  }

  private func rendered(
    _ source: SourceImage, _ rendition: Rendition, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws -> Made {
    if isCancelled() { throw CancellationError() }
    if rendition.frameLimit > 1, source.info.frameCount > animationPixelLimit / max(1, source.info.pixelSize.pixelCount)
    {
      throw ConversionError.tooManyFrames(source.file.title, source.info, limit: animationPixelLimit)
    }
    let rendered = try rendition.rendered(
      from: source.bytes, by: source.decoder, encoders: encoders, limits: limits, colorSpace: colorSpace,
      dynamicRange: dynamicRange, allowsPartial: allowsPartial, isCancelled: isCancelled)
    guard let data = rendered.data else {
      throw ImageEncodingError.unsupportedFormat(rendition.encoding?.format ?? .png)
    }
    let lacksRange = rendered.image.map { !$0.info.droppedContent.isDisjoint(with: [.gainMap, .highDynamicRange]) }
    return Made(
      data: data, size: rendered.size, frameCount: rendered.frameCount, isPartial: rendered.isPartial,
      isDamaged: rendered.image?.isDamaged ?? false, isWithoutRange: dynamicRange == .high && lacksRange ?? false)
  }

  /// Writes a result, and creates the folders of its path; `false` if it exists and is not to be replaced.
  private func write(_ data: Data, to path: String, date: timespec?) throws -> Bool {
    switch destination {
    case .standardOutput:
      let code = OutputFile.write(data, to: STDOUT_FILENO)
      if code != 0 { throw OutputError.unwritable(path: "standard output", code: code) }
    case .file:
      try OutputFile.createFolder(path.parentFolder)
      try OutputFile.write(data, toNamed: path, overwrites: overwrites, date: date)
    case .folder:
      do {
        try OutputFile.createFolder(path.parentFolder)
        try OutputFile.write(data, to: path, overwrites: overwrites, date: date)
      } catch OutputError.exists {
        return false
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
    }
  }
}
