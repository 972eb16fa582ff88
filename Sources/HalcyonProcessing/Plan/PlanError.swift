public import HalcyonSupport
public import HalcyonImaging

/// Why no result can be made with the options of a request.
public enum PlanError: Error, Hashable {
  /// A side of the result is longer than the service allows.
  case resultTooLarge(PixelSize, sideLimit: Int)
  /// The result has more pixels than the limit of its format, or than its memory was reserved for.
  case tooLarge(PixelSize, pixelLimit: Int)
  /// The area to keep contains no pixel of the image.
  case emptyCrop(PixelSize)
  /// The source has more pixels than the options allow.
  case sourceTooLarge(PixelSize, pixelLimit: Int)
  /// The frames of an animation have more pixels than each may have.
  case framesTooLarge(PixelSize, pixelLimit: Int)
  /// The frames of an animation have more pixels than all of them may have.
  case tooManyPixels(frameCount: Int, PixelSize, pixelLimit: Int)
  /// The source has more bytes than the options allow.
  case sourceTooLong(byteLimit: Int)
  /// A side of the watermark is longer than the service allows.
  case watermarkTooLarge(PixelSize, sideLimit: Int)
}

extension PlanError: DescribedError {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .resultTooLarge(let size, let limit):
      "The result would have \(size) pixels. Request at most \(limit) a side."
    case .tooLarge(let size, let limit):
      "The result would have \(size) pixels, over the limit of \(limit). Request a smaller one, or webp instead of avif and jxl."
    case .emptyCrop(let size):
      "The area to keep is outside the image of \(size) pixels. Name an area that intersects it."
    case .sourceTooLarge(let size, let limit):
      "The source has \(size) pixels, over the \(limit) of max_src_resolution."
    case .framesTooLarge(let size, let limit):
      "The frames of the source have \(size) pixels, over the \(limit) of max_animation_frame_resolution."
    case .tooManyPixels(let frameCount, let size, let limit):
      """
      \(frameCount == 1 ? "The frame of the source has" : "The \(frameCount) frames of the source have") \(size) pixels, together over the \(limit) of max_src_resolution. \
      Lower max_animation_frames, or set max_animation_frame_resolution.
      """
    case .sourceTooLong(let limit):
      "The source is over the \(limit.counted("byte")) of max_src_file_size."
    case .watermarkTooLarge(let size, let limit):
      "The watermark would have \(size) pixels. Use a smaller scale, for at most \(limit) a side."
    }
  }
}
