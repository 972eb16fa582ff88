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
    guard options.keepsGainMap else { return named(try map.applied(to: image.bitmap), of: image) }
    return DecodedImage(
      bitmap: image.bitmap, facts: named(image.bitmap, of: image).facts, animation: nil, gainMap: map)
  }

  /// A bitmap of a picture, whose properties name this map.
  func named(_ bitmap: Bitmap, of image: DecodedImage) -> DecodedImage {
    var info = image.info
    info.dynamicRange = dynamicRange
    info.droppedContent.remove(.gainMap)
    return DecodedImage(bitmap: bitmap, info: info)
  }
}
