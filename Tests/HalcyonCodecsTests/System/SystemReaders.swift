import Foundation
import HalcyonImaging
import HalcyonSupport

@testable import HalcyonCodecs

/// A system that decodes one image at any size.
final class ScalingReader: SystemImageReader {
  private let image: Bitmap
  private let isComplete: Bool
  /// The longer sides that were asked for.
  let sides = Lock<[Int?]>([])

  init(image: Bitmap, isComplete: Bool = true) {
    self.image = image
    self.isComplete = isComplete
  }

  func image(
    of file: Data, at index: Int?, longestSide: Int?, colorSpace: ColorSpace, dynamicRange: DynamicRange
  ) throws(ImageDecodingError) -> SystemImage? {
    sides.withLock { $0.append(longestSide) }
    guard let side = longestSide else { return SystemImage(bitmap: image, isComplete: isComplete) }
    let size = TargetSize.fit(width: side, height: side).geometry(for: image.size).outputSize
    // The centre of each area, as a fast decoder may choose it.
    let small = try? Bitmap.painted(size.width, size.height) { column, row in
      image.color(
        (2 * column + 1) * image.size.width / (2 * size.width),
        (2 * row + 1) * image.size.height / (2 * size.height))
    }
    return small.map { SystemImage(bitmap: $0, isComplete: isComplete) }
  }
}

/// A system that decodes the frames of an image sequence.
struct SequenceReader: SystemImageReader {
  let frames: [Bitmap]

  func image(
    of file: Data, at index: Int?, longestSide: Int?, colorSpace: ColorSpace, dynamicRange: DynamicRange
  ) throws(ImageDecodingError) -> SystemImage? {
    SystemImage(bitmap: frames[index ?? 0], isComplete: true)
  }

  func imageCount(of file: Data) -> Int { frames.count }
}

extension SystemImageReader {
  func isTruncated(_ file: Data) -> Bool { false }

  func imageCount(of file: Data) -> Int { 1 }
}

/// A system that always returns the same small image and the same whole image.
struct FixedReader: SystemImageReader {
  let small: Bitmap?
  let whole: Bitmap?
  var isTruncated = false

  func isTruncated(_ file: Data) -> Bool { isTruncated }

  func image(
    of file: Data, at index: Int?, longestSide: Int?, colorSpace: ColorSpace, dynamicRange: DynamicRange
  ) throws(ImageDecodingError) -> SystemImage? {
    (longestSide == nil ? whole : small).map { SystemImage(bitmap: $0, isComplete: true) }
  }
}
