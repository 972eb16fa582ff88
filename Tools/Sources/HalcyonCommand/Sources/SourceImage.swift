import Foundation
import Halcyon
import HalcyonCodecs
@_spi(Programs) import HalcyonImaging
@_spi(Programs) import HalcyonProcessing
@_spi(Programs) import HalcyonPipeline

/// The image in a file that is converted, of which the header has been read.
struct SourceImage {
  let file: SourceFile
  let bytes: Data
  let info: ImageInfo
  /// When the file was changed; `nil` for standard input.
  let fileDate: timespec?
  let decoder: any ImageDecoder

  private static let decoders: [any ImageDecoder] =
    [DrawSVGCommand.decoder].compactMap(\.self) + StandardCodecs.decoders

  /// The format of a file; `nil` for a file in a folder that is not an image, and has no name of one.
  ///
  /// - Throws: ``SourceImageError/notAnImage(_:)`` for others that are none, and errors of reading.
  static func format(of input: borrowing InputFile, _ file: SourceFile) throws -> ImageFormat? {
    let format = ImageFormat(sniffing: try input.prefix())
    if format == nil, file.isNamed || file.path.hasImageExtension { throw SourceImageError.notAnImage(file.title) }
    return format
  }

  /// Reads a file; `nil` for a file in a folder that is not an image.
  init?(_ file: SourceFile, _ input: borrowing InputFile, byteLimit: Int) throws {
    guard let format = try Self.format(of: input, file) else { return nil }
    guard let decoder = Self.decoders.first(where: { $0.formats.contains(format) }) else {
      throw SourceImageError.notRead(file.title, format)
    }
    let bytes = try input.contents(byteLimit: byteLimit)
    guard let info = try decoder.probe(bytes, isComplete: true) else {
      throw ImageDecodingError.truncated(format)
    }
    (self.file, self.bytes, self.info, self.decoder) = (file, bytes, info, decoder)
    fileDate = input.date
  }

  var format: ImageFormat { info.format }

  /// Whether bytes are no image that ends too early. Only those that may do so by their structure are decoded.
  @Sendable static func isWhole(_ bytes: Data) -> Bool {
    guard let format = ImageFormat(sniffing: bytes), format.lacksEnd(bytes),
      let decoder = decoders.first(where: { $0.formats.contains(format) })
    else { return true }
    do {
      _ = try decoder.image(from: bytes, options: DecodingOptions())
      return true
    } catch {
      return (error as? ImageDecodingError)?.isDamage != true
    }
  }

  var metadata: ImageMetadata {
    get throws { try decoder.metadata(of: bytes) }
  }

  /// The day on which the photograph was taken or, if it does not say that, its file was changed.
  var day: String {
    get throws { try metadata.captureTime.map { String($0.prefix(10)) } ?? Self.day(fileDate) }
  }

  func decoded(_ options: DecodingOptions) throws -> DecodedImage { try decoder.image(from: bytes, options: options) }

  /// The memory in bytes that making a result takes, by an estimate.
  func byteCount(of plan: ProcessingPlan) throws -> Int {
    let isProgressive = format.abilities.progressiveBytesPerPixel != nil ? try metadata.isProgressive : false
    let decoded = plan.decodedSize(of: info.pixelSize)
    let count = info.decodingByteCount(outputSize: decoded, isProgressive: isProgressive) + bytes.count
    // The memory of the canvases of an encoder of animations.
    let canvases = info.frameCount > 1 ? 24 * decoded.width * decoded.height : 0
    return count + canvases + plan.processingByteCount
  }

  /// A day in the current time zone; today without a date.
  private static func day(_ date: timespec?) -> String {
    var seconds = date?.tv_sec ?? time(nil)
    var parts = tm()
    localtime_r(&seconds, &parts)
    let padded = { (value: Int32) in value < 10 ? "0\(value)" : "\(value)" }
    return "\(parts.tm_year + 1900)-\(padded(parts.tm_mon + 1))-\(padded(parts.tm_mday))"
  }
}

/// Why a file was not read as an image.
enum SourceImageError: Error, CustomStringConvertible {
  case notAnImage(String)
  case notRead(String, ImageFormat)

  var description: String {
    switch self {
    case .notAnImage(let path):
      "\(path) is not an image, or of an unknown format. See halcyon formats for those that are read."
    case .notRead(let path, let format):
      "\(path) is \(format.rawValue), which this build does not read. See halcyon formats."
    }
  }
}
