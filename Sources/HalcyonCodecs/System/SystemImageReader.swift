import HalcyonImaging
import Foundation

/// Turns a file into pixels with the codecs of the operating system.
///
/// The library's own parsers have checked the limits before a reader gets a byte; crop, exact size and orientation are
/// left to ``SystemDecoder``. Safe from any thread.
protocol SystemImageReader: Sendable {
  /// An image of a file as it is stored, not rotated; `nil` if the system cannot decode it.
  ///
  /// - Parameters:
  ///   - index: The number of the frame of an image sequence; `nil` for the main image of the file.
  ///   - longestSide: The longer side of the result, at most, where the system can decode at a smaller size; `nil` for
  ///     the stored size.
  ///   - colorSpace: The space to convert its colours to.
  ///   - dynamicRange: Whether to convert them to bytes or, with their range kept, to half floats.
  func image(
    of file: Data, at index: Int?, longestSide: Int?, colorSpace: ColorSpace, dynamicRange: DynamicRange
  ) throws(ImageDecodingError) -> SystemImage?

  /// Whether the system finds that a file which it cannot decode ends too early.
  func isTruncated(_ file: Data) -> Bool

  /// The number of images that the system finds in a file.
  func imageCount(of file: Data) -> Int
}

/// An image that the system has decoded.
struct SystemImage {
  var bitmap: Bitmap
  /// Whether the system has found the end of the image.
  var isComplete: Bool
}
