public import Foundation
public import HalcyonSupport

/// Why an image could not be encoded, or its file not written.
@nonexhaustive
public enum ImageEncodingError: Error, Hashable {
  /// This build has no encoder for the format.
  case unsupportedFormat(ImageFormat)
  /// The bitmap exceeds the maximum size of the format.
  case tooLarge(ImageFormat, PixelSize)
  /// Even the lowest quality exceeds the byte limit.
  case overByteLimit(ImageFormat, byteCount: Int, byteLimit: Int)
  /// The encoder of this format writes no metadata.
  case metadataNotSupported(ImageFormat)
  /// The codec failed; `reason` is its message.
  case failed(ImageFormat, reason: String)
  /// The extension of a file that is to be written names no image format.
  case unknownFileExtension(URL)
  /// The file cannot be written; `reason` is the message of the system.
  case unwritable(URL, reason: String)
}

extension ImageEncodingError: DescribedError {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .unsupportedFormat(let format):
      "This build of Halcyon cannot write \(format.rawValue). \(format.encodingAdvice)"
    case .tooLarge(let format, let size):
      "A \(format.rawValue) file cannot hold \(size) pixels. Downsample the image, or choose another format."
    case .overByteLimit(let format, let byteCount, let byteLimit):
      """
      At its lowest quality the \(format.rawValue) file has \(byteCount.counted("byte")), over the limit of \(byteLimit). \
      Downsample the image, or allow more.
      """
    case .metadataNotSupported(let format):
      """
      \(format.rawValue) files are written without metadata. Use jpeg, png or webp, or the policy .strip \
      (pass no metadata).
      """
    case .failed(let format, let reason):
      "Writing \(format.rawValue) failed: \(reason)."
    case .unknownFileExtension(let file):
      """
      The extension of \(file.lastPathComponent.printable) names no image format. Use one such as .jpg, .png or .webp, or \
      pass the format.
      """
    case .unwritable(let file, let reason):
      "\(file.path.printable) cannot be written: \(reason.printable)"
    }
  }
}
