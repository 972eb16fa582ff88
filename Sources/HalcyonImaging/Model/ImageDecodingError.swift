public import Foundation
public import HalcyonSupport

/// Why an image could not be decoded.
@nonexhaustive
public enum ImageDecodingError: Error, Hashable {
  /// The first bytes match no known image format.
  case unknownFormat
  /// The data is an image, but this build has no decoder for its format.
  case unsupportedFormat(ImageFormat)
  /// The format is supported, but not this feature of it.
  case unsupportedFeature(ImageFormat, feature: String)
  /// The data violates its format.
  case corrupt(ImageFormat, reason: String)
  /// The data ends before the image does.
  case truncated(ImageFormat)
  /// The image has more pixels than the limit allows.
  case tooManyPixels(PixelSize, limit: Int)
  /// A side of the image is longer than the limit allows.
  case sideTooLong(PixelSize, limit: Int)
  /// The file has more encoded bytes than the limit allows.
  case tooManyBytes(Int, limit: Int)
  /// The target size has a side below 1.
  case invalidTargetSize(TargetSize)
  /// The region is empty, or not inside an image of this size.
  case invalidRegion(PixelArea, of: PixelSize)
  /// There is no memory for the pixels.
  case outOfMemory(PixelSize)
  /// The file cannot be read; `reason` is the message of the system.
  case unreadable(URL, reason: String)
  /// Decoding was cancelled.
  case cancelled
}

extension ImageDecodingError: DescribedError {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .unknownFormat:
      """
      The data is not an image in a known format. Check that the source returns an image and not, for example, a web \
      page.
      """
    case .unsupportedFormat(let format):
      "This build of Halcyon cannot decode \(format.rawValue). \(format.decodingAdvice)"
    case .unsupportedFeature(let format, let feature):
      "The \(format.rawValue) image uses \(feature.printable), which Halcyon does not decode. Save it again without that."
    case .corrupt(let format, let reason):
      "The \(format.rawValue) image is damaged: \(reason.printable). Fetch it again or replace it at its source."
    case .truncated(let format):
      "The \(format.rawValue) image ends too early. Fetch it again or replace it at its source."
    case .tooManyPixels(let size, let limit):
      "The image has \(size) pixels, over the limit of \(limit.counted("pixel")). Raise limits.pixelCount to accept it."
    case .sideTooLong(let size, let limit):
      "The image has \(size) pixels, over the limit of \(limit.counted("pixel")) a side. Raise limits.sideLength to accept it."
    case .tooManyBytes(let byteCount, let limit):
      "The image has \(byteCount.counted("byte")), over the limit of \(limit). Raise limits.encodedByteCount to accept it."
    case .invalidTargetSize(let target):
      "The target size \(target) has a side below 1 pixel. Use at least 1x1."
    case .invalidRegion(let region, let size):
      "The region \(region) is not inside the image of \(size) pixels. Use one of at least 1x1 pixel inside it."
    case .outOfMemory(let size):
      "There is no memory for \(size) pixels. Request a smaller size, or lower the pixel limit."
    case .unreadable(let file, let reason):
      "\(file.path.printable) cannot be read: \(reason.printable)"
    case .cancelled:
      "Decoding was cancelled."
    }
  }
}

extension ImageDecodingError {
  /// Whether the file is damaged, so that a part of its image may be sound.
  @_spi(Programs) public var isDamage: Bool {
    if case .corrupt = self { true } else { isTruncation }
  }

  /// Whether the file ends too early.
  package var isTruncation: Bool {
    if case .truncated = self { true } else { false }
  }
}
