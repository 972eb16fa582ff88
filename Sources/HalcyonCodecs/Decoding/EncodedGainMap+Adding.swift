import HalcyonImaging

extension EncodedGainMap {
  /// A picture with this map, kept beside it or applied. A damaged map is left out.
  ///
  /// - Parameter draw: Decodes the map at a geometry.
  func added(
    to image: consuming DecodedImage, _ plan: DecodingPlan, _ options: DecodingOptions,
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
    let base = image.bitmap
    var facts = image.facts
    facts.info = named(facts.info)
    guard options.keepsGainMap else {
      _ = consume image
      return DecodedImage(bitmap: try map.applied(to: consume base), facts: facts, animation: nil)
    }
    return DecodedImage(bitmap: base, facts: facts, animation: nil, gainMap: map)
  }

  /// The properties of a picture with this map.
  func named(_ info: ImageInfo) -> ImageInfo {
    var info = info
    info.dynamicRange = dynamicRange
    info.droppedContent.remove(.gainMap)
    return info
  }
}
