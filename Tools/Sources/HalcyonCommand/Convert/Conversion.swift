import Foundation
import Halcyon
import HalcyonImaging
@_spi(Programs) import HalcyonPipeline
import HalcyonCodecs

/// How images are converted, and where the results are written.
struct Conversion: Sendable {
  let size: TargetSize
  let colorSpace: TargetColorSpace
  /// The format of the results; `nil` for each source's own.
  let format: ImageFormat?
  let encoders: [any ImageEncoder]
  let options: EncodingOptions
  let metadata: MetadataPolicy
  let limits: ImageLimits
  /// The most pixels of all frames of an animation together.
  let animationPixelLimit: Int
  let destination: Destination
  let overwrites: Bool
  /// Whether a cut or damaged image is converted as far as it goes.
  let allowsPartial: Bool
  private let decoders: [any ImageDecoder] = [DrawSVGCommand.decoder].compactMap(\.self) + StandardCodecs.decoders

  init(
    size: TargetSize, colorSpace: TargetColorSpace, format: ImageFormat?, encoders: [any ImageEncoder],
    options: EncodingOptions, metadata: MetadataPolicy, limits: ImageLimits, animationPixelLimit: Int,
    destination: Destination,
    overwrites: Bool, allowsPartial: Bool
  ) {
    self.size = size
    self.colorSpace = colorSpace
    self.format = format
    self.encoders = encoders
    self.options = options
    self.metadata = metadata
    self.limits = limits
    self.animationPixelLimit = animationPixelLimit
    self.destination = destination
    self.overwrites = overwrites
    self.allowsPartial = allowsPartial
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

  /// Converts one file on the calling thread.
  ///
  /// - Throws: ``ConversionError``, `InputError`, `ImageDecodingError`, `ImageEncodingError` or `OutputError`.
  func convert(
    _ file: SourceFile, memory: MemoryBudget, claimed: ClaimedOutputs, isCancelled: @escaping @Sendable () -> Bool
  ) throws -> Outcome {
    let start = ContinuousClock.now
    let input = try file.open(byteLimit: limits.encodedByteCount, isCancelled: isCancelled)
    guard let source = ImageFormat(sniffing: try input.prefix()) else {
      if file.isNamed { throw ConversionError.notAnImage(file.title) }
      return .notAnImage
    }
    guard let decoder = decoders.first(where: { $0.formats.contains(source) }) else {
      throw ConversionError.notRead(file.title, source)
    }
    var output: String?
    // Checked before decoding, where the name does not depend on the size of the result.
    if !destination.usesSize, let format = format ?? Self.kept(source, hasAlpha: nil) {
      output = outputPath(of: file, format: format, size: PixelSize(width: 0, height: 0))
      if let output, try !claim(output, claimed, for: file) { return .exists(output: output) }
    }
    let bytes = try input.contents(byteLimit: limits.encodedByteCount)
    let info = try Self.info(of: bytes, decoder)
    let format = format ?? Self.kept(source, hasAlpha: info.hasAlpha) ?? .png
    let result = try DecodingOptions(size: size).outputSize(for: info.pixelSize)
    let isProgressive = [.jpeg, .png].contains(source) ? try decoder.metadata(of: bytes).isProgressive : false
    var cost = info.decodingByteCount(outputSize: result, isProgressive: isProgressive) + bytes.count
    // The memory of the canvases of an encoder of animations.
    if info.frameCount > 1 { cost += 24 * result.width * result.height }
    return try memory.withReservation(cost) {
      if isCancelled() { throw CancellationError() }
      let image = try decoder.image(
        from: bytes,
        options: DecodingOptions(
          size: size, limits: limits, allowsPartialImage: allowsPartial, colorSpace: colorSpace,
          isCancelled: isCancelled))
      let path = output ?? outputPath(of: file, format: format, size: image.size)
      if output == nil, try !claim(path, claimed, for: file) { return .exists(output: path) }
      try checkFrames(of: image, as: format, title: file.title)
      let (encoded, isCut) = try encode(image, as: format, metadata: { try decoder.metadata(of: bytes) })
      if isCancelled() { throw CancellationError() }
      if try !write(encoded, to: path) { return .exists(output: path) }
      return .converted(
        ConversionReport(
          source: file.path, output: path, image: image, format: format, sourceBytes: bytes.count,
          outputBytes: encoded.count, outputFrames: try Self.frameCount(of: encoded, from: image, as: format),
          isCut: isCut, elapsed: start.duration(to: .now)))
    }
  }

  private func outputPath(of file: SourceFile, format: ImageFormat, size: PixelSize) -> String {
    switch destination {
    case .folder(let folder, let names): folder.appendingPath(names.path(for: file, format: format, size: size))
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

  /// Checks the pixels of all frames that are to be in the result.
  private func checkFrames(of image: DecodedImage, as format: ImageFormat, title: String) throws {
    let isAnimated = image.animation != nil && [.gif, .webp, .avif].contains(format)
    guard isAnimated, image.info.frameCount > animationPixelLimit / max(1, image.info.pixelSize.pixelCount) else {
      return
    }
    throw ConversionError.tooManyFrames(title, image.info, limit: animationPixelLimit)
  }

  /// The file of a result, and whether it is the still frame of an animation whose other frames are cut or damaged.
  private func encode(
    _ image: DecodedImage, as format: ImageFormat, metadata source: () throws -> ImageMetadata
  ) throws -> (Data, isCut: Bool) {
    guard let encoder = encoders.first(where: { $0.format == format }) else {
      throw ImageEncodingError.unsupportedFormat(format)
    }
    var options = options
    if metadata != .strip { options.metadata = metadata.applied(to: try source()) }
    do {
      return (try encoder.encode(image, options: options), false)
    } catch is ImageDecodingError where allowsPartial {
      return (try encoder.encode(image.bitmap, options: options), true)
    }
  }

  private static func frameCount(of file: Data, from image: DecodedImage, as format: ImageFormat) throws -> Int {
    guard image.animation != nil else { return 1 }
    return try StandardCodecs.decoder(for: format).probe(file, isComplete: true)?.frameCount ?? 1
  }

  /// Writes a result, and creates the folders of its path; `false` if it exists and is not to be replaced.
  private func write(_ data: Data, to path: String) throws -> Bool {
    switch destination {
    case .standardOutput:
      let code = OutputFile.write(data, to: STDOUT_FILENO)
      if code != 0 { throw OutputError.unwritable(path: "standard output", code: code) }
    case .file:
      try OutputFile.createFolder(path.parentFolder)
      try OutputFile.write(data, toNamed: path, overwrites: overwrites)
    case .folder:
      do {
        try OutputFile.createFolder(path.parentFolder)
        try OutputFile.write(data, to: path, overwrites: overwrites)
      } catch OutputError.exists {
        return false
      }
    }
    return true
  }

  private static func info(of bytes: Data, _ decoder: any ImageDecoder) throws -> ImageInfo {
    guard let info = try decoder.probe(bytes, isComplete: true) else {
      throw ImageDecodingError.truncated(decoder.formats.first ?? .jpeg)
    }
    return info
  }

  /// The format of a result that keeps the source's as far as it can be written: photographs become JPEG, other images
  /// PNG. `nil` if that depends on the alpha channel, which is not known.
  private static func kept(_ source: ImageFormat, hasAlpha: Bool?) -> ImageFormat? {
    if StandardCodecs.writable.contains(source) { return source }
    guard [.heic, .avif, .jpegXL].contains(source) else { return .png }
    return hasAlpha.map { $0 ? .png : .jpeg }
  }
}

extension Conversion.Destination {
  /// Whether a path depends on the size of the result.
  fileprivate var usesSize: Bool {
    if case .folder(_, let names) = self { names.usesSize } else { false }
  }
}

/// Why a file was not converted.
enum ConversionError: Error, CustomStringConvertible {
  case notAnImage(String)
  case notRead(String, ImageFormat)
  case sameOutput(String, output: String)
  case tooManyFrames(String, ImageInfo, limit: Int)
  case unmatched(pattern: String)

  /// What the errors of many files of one run have in common, if it is the same mistake; `nil` if each may have its own.
  static func commonReason(of error: any Error) -> String? {
    switch error {
    case ConversionError.sameOutput: "same output"
    case ConversionError.notRead(_, let format): "format \(format.rawValue)"
    case OutputError.unwritable(_, let code): "unwritable \(code)"
    default: nil
    }
  }

  var description: String {
    switch self {
    case .notAnImage(let path):
      "\(path) is not an image, or of an unknown format. See halcyon formats for those that are read."
    case .notRead(let path, let format):
      "\(path) is \(format.rawValue), which this build does not read. See halcyon formats."
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
    case .unmatched(let pattern):
      "\(pattern) matches no file. Check the pattern; ** matches folders at any depth."
    }
  }
}
