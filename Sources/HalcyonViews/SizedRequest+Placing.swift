@_spi(Programs) import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport

extension SizedRequest {
  /// The most pixels of an image with margins: they are written on the main thread.
  private static let pixelLimit = 1 << 22

  /// A low-resolution image at the place where the image of this request has the same content, so that nothing moves when
  /// that one replaces it: with transparent margins for what its request crops, and without what this request crops.
  ///
  /// Processors that keep the size count as keeping the place. Costs a copy of the pixels, unless both show the same part.
  ///
  /// - Parameter other: The request of `image`.
  /// - Returns: `nil` if the image is a crop whose place is not known, or nothing of it is visible.
  func placing(_ image: DecodedImage, of other: SizedRequest) -> DecodedImage? {
    let (target, otherTarget) = (request.size ?? .original, other.request.size ?? .original)
    let isSameRegion = request.region == other.request.region
    if target == otherTarget, isSameRegion { return image }
    // The file of a stored variant is the crop.
    let isVariant = image.facts.isStoredVariant && (otherTarget.anchor != nil || other.request.region != nil)
    let isKnown = !isVariant && target.anchor?.isSmart != true && otherTarget.anchor?.isSmart != true
    // A display crops the whole as it crops its image.
    if isSameRegion, otherTarget.anchor == nil, pixelSize != nil || !isKnown { return image }
    let file = image.info.pixelSize
    guard isKnown, file.width > 0, file.height > 0,
      let part = try? otherTarget.geometry(for: file, region: other.request.region),
      let whole = try? target.geometry(for: file, region: request.region)
    else { return nil }
    guard image.size == part.outputSize || image.info.format.abilities.isVector else { return image }
    let margins = part.window.margins(in: whole.window, at: image.size)
    if margins.allSatisfy({ abs($0) <= 1 }) { return image }
    return try? image.replacing(image.bitmap.with(margins: margins, pixelLimit: Self.pixelLimit))
  }
}

extension TargetSize {
  /// The anchor of a size that crops.
  fileprivate var anchor: CropAnchor? {
    if case .fill(_, _, let anchor, _) = self { anchor } else { nil }
  }
}

extension PixelRectangle {
  /// The distances to the left, top, right and bottom edge of a rectangle, in whole pixels of a picture of this one; below 0
  /// where this one is larger.
  fileprivate func margins(in outer: PixelRectangle, at size: PixelSize) -> [Int] {
    let scale = (x: Double(size.width) / width, y: Double(size.height) / height)
    return [
      (x - outer.x) * scale.x, (y - outer.y) * scale.y,
      (outer.x + outer.width - x - width) * scale.x, (outer.y + outer.height - y - height) * scale.y,
    ].map { Int($0.rounded().clamped(to: -1e9...1e9, nan: 0)) }
  }
}

extension Bitmap {
  /// The bitmap with transparent margins on its left, top, right and bottom, and cropped where one is below 0.
  ///
  /// - Throws: If nothing is left, or the result has more than `pixelLimit` pixels.
  fileprivate func with(margins: [Int], pixelLimit: Int) throws -> Bitmap {
    let (cropped, added) = (margins.map { max(0, -$0) }, margins.map { max(0, $0) })
    let area = PixelArea(
      left: cropped[0], top: cropped[1], width: size.width - cropped[0] - cropped[2],
      height: size.height - cropped[1] - cropped[3])
    guard area.width > 0, area.height > 0 else { throw ImageProcessingError.emptyCrop(size) }
    let padding = PaddingProcessor(
      top: added[1], right: added[2], bottom: added[3], left: added[0], pixelLimit: pixelLimit)
    return try padding.process(with(BitmapGeometry(area)))
  }
}
