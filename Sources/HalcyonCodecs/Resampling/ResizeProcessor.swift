public import HalcyonImaging
import HalcyonSupport

/// Resizes an image with the Lanczos filter that decoding uses.
///
/// A request's ``ImageRequest/size`` resizes while decoding, in less time and memory. Use the processor between other
/// steps, such as after a crop. Only ``TargetSize/exact(width:height:enlarges:)`` enlarges.
public struct ResizeProcessor: ImageProcessor {
  private let target: TargetSize
  private let implementation: LanczosImplementation
  private let graphs = ResampleGraphCache()

  /// Creates a processor; its copies share a cache of resampling filters.
  ///
  /// - Parameters:
  ///   - size: The target size.
  ///   - scale: Pixels per unit of the size: the screen's scale factor for a size in points. Default: 1, for pixels.
  public init(_ size: TargetSize, scale: Double = 1) { self.init(size, scale: scale, implementation: .standard) }

  package init(_ size: TargetSize, scale: Double = 1, implementation: LanczosImplementation) {
    self.implementation = implementation
    // Scaling would replace an invalid side by 0; the error names the given size.
    target = size.isValid ? size.scaled(by: scale) : size
  }

  /// The name and all parameters.
  public var identifier: String { "halcyon.resize \(target)" }

  /// The resized image.
  ///
  /// - Throws: ``ImageProcessingError/invalidTargetSize(_:)`` if a side or the scale is not positive;
  ///   ``ImageProcessingError/resultTooLarge(_:limit:)`` if the result exceeds the default ``ImageLimits``;
  ///   ``ImageDecodingError/outOfMemory(_:)`` when out of memory.
  public func process(_ bitmap: Bitmap) throws -> Bitmap {
    guard target.isValid else { throw ImageProcessingError.invalidTargetSize(target) }
    let geometry = target.geometry(for: bitmap.size)
    let (size, limit) = (geometry.outputSize, max(bitmap.size.pixelCount, ImageLimits().pixelCount))
    // Each side first: their product may overflow.
    guard max(size.width, size.height) <= limit, size.pixelCount <= limit else {
      throw ImageProcessingError.resultTooLarge(size, limit: limit)
    }
    if size == bitmap.size, geometry.window == target.whole(of: bitmap.size) { return bitmap }
    let resampler = RowResampler(
      format: .png, geometry: geometry, graphs: graphs, implementation: implementation,
      isCancelled: { CancellationFlag.isCurrentCancelled })
    do {
      return try resampler.bitmap(isOpaque: bitmap.isOpaque) { BitmapRowSource(bitmap) }
    } catch ImageDecodingError.cancelled {
      throw CancellationError()
    }
  }
}

extension ResizeProcessor: Hashable {
  /// Whether both have the same target size in pixels.
  public static func == (left: ResizeProcessor, right: ResizeProcessor) -> Bool { left.target == right.target }

  /// Hashes the target size.
  public func hash(into hasher: inout Hasher) { hasher.combine(target) }
}

extension ImageProcessor where Self == ResizeProcessor {
  /// Resizes the image; only ``TargetSize/exact(width:height:enlarges:)`` enlarges.
  ///
  /// - Parameters:
  ///   - size: The target size.
  ///   - scale: Pixels per unit of the size, such as the screen's scale factor. Default: 1.
  public static func resize(_ size: TargetSize, scale: Double = 1) -> Self { ResizeProcessor(size, scale: scale) }
}

extension TargetSize {
  fileprivate func whole(of size: PixelSize) -> PixelRectangle { TargetSize.original.geometry(for: size).window }
}
