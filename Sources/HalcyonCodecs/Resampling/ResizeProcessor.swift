public import HalcyonImaging

/// Draws an image at another size, by the same Lanczos filter that decoding uses.
///
/// A request's ``ImageRequest/size`` does this while it decodes, in less time and memory; the processor is for steps
/// between others, as a crop that is then made small. Only ``TargetSize/exact(width:height:)`` enlarges.
public struct ResizeProcessor: ImageProcessor {
  private let target: TargetSize
  private let graphs = ResampleGraphCache()

  /// Creates a processor; its copies share what they know about resizing.
  ///
  /// - Parameters:
  ///   - size: The size of the result.
  ///   - scale: Pixels for each unit of the size: the scale of a screen, for a size in points. Default: 1, for pixels.
  public init(_ size: TargetSize, scale: Double = 1) {
    target = size.scaled(by: scale)
  }

  /// The name and all parameters.
  public var identifier: String { "halcyon.resize \(target)" }

  /// The image at its new size.
  ///
  /// - Throws: ``ImageProcessingError/invalidTargetSize(_:)`` for a side or scale that is not above 0;
  ///   ``ImageProcessingError/resultTooLarge(_:limit:)`` for a result beyond the default ``ImageLimits``;
  ///   ``ImageDecodingError/outOfMemory(_:)`` when there is no memory.
  public func process(_ bitmap: Bitmap) throws -> Bitmap {
    guard target.isValid else { throw ImageProcessingError.invalidTargetSize(target) }
    let geometry = target.geometry(for: bitmap.size)
    let (size, limit) = (geometry.outputSize, max(bitmap.size.pixelCount, ImageLimits().pixelCount))
    // Each side alone first: their product may be beyond all numbers.
    guard max(size.width, size.height) <= limit, size.pixelCount <= limit else {
      throw ImageProcessingError.resultTooLarge(size, limit: limit)
    }
    if size == bitmap.size, geometry.window == target.whole(of: bitmap.size) { return bitmap }
    let factor = BoxShrink.factor(for: geometry)
    let resampler = Resampler(format: .png, geometry: geometry.scaled(by: 1 / Double(factor)), graphs: graphs)
    return try resampler.bitmap(isOpaque: bitmap.isOpaque) {
      let rows = BitmapRowSource(bitmap)
      let shrunk: any RowSource = factor == 1 ? rows : BoxShrink(rows, factor: factor) { false }
      return RowPlaneSource(shrunk) { false }
    }
  }
}

extension ResizeProcessor: Hashable {
  /// Equal when both draw at the same size.
  public static func == (left: ResizeProcessor, right: ResizeProcessor) -> Bool { left.target == right.target }

  /// Feeds the size.
  public func hash(into hasher: inout Hasher) { hasher.combine(target) }
}

extension ImageProcessor where Self == ResizeProcessor {
  /// Draws the image at another size; nothing is enlarged save by ``TargetSize/exact(width:height:)``.
  ///
  /// - Parameters:
  ///   - size: The size of the result.
  ///   - scale: Pixels for each unit of the size, as the scale of a screen. Default: 1.
  public static func resize(_ size: TargetSize, scale: Double = 1) -> Self { ResizeProcessor(size, scale: scale) }
}

extension TargetSize {
  fileprivate func whole(of size: PixelSize) -> PixelRectangle { TargetSize.original.geometry(for: size).window }
}
