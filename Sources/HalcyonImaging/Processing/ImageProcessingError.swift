public import HalcyonSupport

/// Why a processor failed.
@nonexhaustive
public enum ImageProcessingError: Error, Hashable {
  /// A parameter is NaN or outside the allowed range.
  case invalidParameter(String, value: Double, allowed: ClosedRange<Double>)
  /// The rectangle to crop to contains no pixel of the image.
  case emptyCrop(PixelSize)
  /// The result would have more pixels than both the image and the limit.
  case resultTooLarge(PixelSize, limit: Int)
  /// The target size has a side below 1.
  case invalidTargetSize(TargetSize)
  /// A custom processor threw an error for a frame of an animation.
  case failed(identifier: String, reason: String)
}

extension ImageProcessingError: DescribedError {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .invalidParameter(let name, let value, let allowed):
      "\(name) is \(value). Use a value from \(allowed.lowerBound) to \(allowed.upperBound)."
    case .emptyCrop(let size):
      "The rectangle to crop to is outside the image of \(size) pixels. Use a rectangle that intersects it."
    case .resultTooLarge(let size, let limit):
      "The result would have \(size) pixels, over the limit of \(limit). Use a smaller image."
    case .invalidTargetSize(let size):
      "The target size \(size) has a side below 1 pixel. Use at least 1x1."
    case .failed(let identifier, let reason):
      "The processor \(identifier) failed on a frame: \(reason)"
    }
  }
}

extension ClosedRange<Double> {
  /// Throws if the value is NaN or out of range.
  func check(_ value: Double, _ name: String) throws(ImageProcessingError) {
    guard contains(value) else { throw .invalidParameter(name, value: value, allowed: self) }
  }

  /// Throws if the value is out of range.
  func check(_ value: Int, _ name: String) throws(ImageProcessingError) { try check(Double(value), name) }
}
