import HalcyonImaging

extension EncodedGainMap {
  /// A picture with this map: beside it, or applied.
  ///
  /// A map that is damaged is left out.
  ///
  /// - Parameter draw: Decodes the map at a geometry.
  func added(
    to image: DecodedImage, _ plan: DecodingPlan, _ options: DecodingOptions,
    draw: (ResizeGeometry) throws -> Bitmap
  ) throws -> DecodedImage {
    guard !image.isPartial else { return image }
    let geometry = plan.geometry.scaled(from: plan.info.storedSize, toMap: size)
    let bitmap: Bitmap
    do {
      bitmap = try samples(draw(geometry)).upright(from: plan.info.orientation)
    } catch ImageDecodingError.cancelled {
      throw ImageDecodingError.cancelled
    } catch {
      return image
    }
    let map = GainMap(bitmap, isGrey: isGrey, parameters)
    var info = image.info
    info.dynamicRange = dynamicRange
    info.droppedContent.remove(.gainMap)
    guard options.keepsGainMap else { return DecodedImage(bitmap: try map.applied(to: image.bitmap), info: info) }
    let facts = DecodedImage(bitmap: image.bitmap, info: info).facts
    return DecodedImage(bitmap: image.bitmap, facts: facts, animation: nil, gainMap: map)
  }
}
