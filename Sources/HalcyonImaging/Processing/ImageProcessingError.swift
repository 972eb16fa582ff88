/// Why one of the processors of this library did not change an image.
@nonexhaustive
public enum ImageProcessingError: Error, Hashable {
  /// A parameter is no number or lies outside of what the processor takes.
  case invalidParameter(String, value: Double, allowed: ClosedRange<Double>)
  /// The part to be cut out has no pixel inside the image.
  case emptyCrop(PixelSize)
  /// The result would have more pixels than the image and than the limit.
  case resultTooLarge(PixelSize, limit: Int)
  /// The target size has a side below 1.
  case invalidTargetSize(TargetSize)
  /// A custom processor threw an error for a frame of an animation.
  case failed(identifier: String, reason: String)
}

extension ImageProcessingError: CustomStringConvertible {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .invalidParameter(let name, let value, let allowed):
      "\(name) is \(value). Give a value from \(allowed.lowerBound) to \(allowed.upperBound)."
    case .emptyCrop(let size):
      "The part to be cut out has no pixel of the image, which has \(size). Give a rectangle that meets it."
    case .resultTooLarge(let size, let limit):
      "The result would have \(size) pixels, more than \(limit). Give an image of a smaller size."
    case .invalidTargetSize(let size):
      "The target size \(size) has a side below 1 pixel. Give at least 1x1."
    case .failed(let identifier, let reason):
      "The processor \(identifier) failed on a frame: \(reason)"
    }
  }
}

extension ClosedRange<Double> {
  /// Throws unless the value, which may be no number, lies inside.
  func check(_ value: Double, _ name: String) throws(ImageProcessingError) {
    guard contains(value) else { throw .invalidParameter(name, value: value, allowed: self) }
  }

  /// The same for a whole number.
  func check(_ value: Int, _ name: String) throws(ImageProcessingError) { try check(Double(value), name) }
}
