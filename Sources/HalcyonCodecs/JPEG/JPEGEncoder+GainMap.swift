package import Foundation
package import HalcyonImaging

/// Pictures with gain maps, as Ultra HDR and ISO 21496-1 describe them: readers find the map by the multi-picture index or
/// by the XMP packet, and its parameters in both forms. Some of them, Android's too, refuse a picture with one channel.
extension JPEGEncoder: HighDynamicRangeEncoder {
  package var writesGainMaps: Bool { true }

  package func encode(_ bitmap: Bitmap, gainMap: GainMap?, options: EncodingOptions) throws -> Data {
    guard let gainMap else { return try encode(highDynamicRange: bitmap, options) }
    try check(bitmap.size)
    let picture = try file(of: bitmap, options: options, mayBeGrey: false)
    return try joined(picture, bitmap.colorSpace, file(of: gainMap, options), options)
  }

  private func encode(highDynamicRange bitmap: Bitmap, _ options: EncodingOptions) throws -> Data {
    let base = try bitmap.inStandardRange()
    guard let gainMap = try GainMap.derived(from: bitmap, base: base) else { return try encode(base, options: options) }
    try check(base.size)
    let picture = try file(of: base, options: options, mayBeGrey: false)
    var map = try file(of: gainMap, options)
    // With details of its own a map may have as many bytes as the picture, but not more.
    if map.count > picture.count, gainMap.bitmap.size == base.size,
      let small = try GainMap.derived(from: bitmap, base: base, isSmall: true)
    {
      map = try file(of: small, options)
    }
    return joined(picture, base.colorSpace, map, options)
  }

  /// The file of the map, with its parameters.
  private func file(of gainMap: GainMap, _ options: EncodingOptions) throws -> Data {
    var options = options
    // The map gets a higher quality, since its block artefacts show as edges of brightness.
    options.quality = (1 + options.quality) / 2
    return try JPEGSegments.adding(
      [
        JPEGSegments.Addition(0xE1, JPEGHeader.xmpPrefix, gainMap.parameters.xmp),
        JPEGSegments.Addition(0xE2, GainMap.Parameters.isoPrefix, gainMap.parameters.isoData),
      ], to: file(of: gainMap.bitmap, options: options)
    ).file
  }

  /// The file of the picture, with an index (CIPA DC-007) of itself and of the map that follows it.
  private func joined(_ picture: Data, _ space: ColorSpace, _ map: Data, _ options: EncodingOptions) -> Data {
    let metadata = WritableMetadata(options.metadata, space)
    var packet = XMPPacket.packet(adding: map.count, to: metadata?.xmp)
    if !JPEGSegments.Addition(0xE1, JPEGHeader.xmpPrefix, packet).fits {
      packet = XMPPacket.packet(adding: map.count, to: nil)
    }
    var (file, end) = JPEGSegments.adding(
      [
        metadata?.exifAddition, JPEGSegments.Addition(0xE1, JPEGHeader.xmpPrefix, packet), metadata?.profileAddition,
        JPEGSegments.Addition(0xE2, GainMap.Parameters.isoPrefix, Data(GainMap.Parameters.isoVersion)),
        JPEGSegments.Addition(0xE2, MultiPicture.prefix, Data(count: MultiPicture.indexByteCount)),
      ].compactMap(\.self), to: picture)
    let start = end - MultiPicture.indexByteCount
    file.replaceSubrange(start..<end, with: MultiPicture.index(of: file.count, and: map.count, from: start))
    return file + map
  }
}
