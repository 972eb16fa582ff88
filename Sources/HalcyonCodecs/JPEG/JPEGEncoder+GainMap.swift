package import Foundation
package import HalcyonImaging

/// Pictures with gain maps, as Ultra HDR and ISO 21496-1 describe them: readers find the map by the multi-picture index or
/// by the XMP packet, and its parameters in both forms.
extension JPEGEncoder: HighDynamicRangeEncoder {
  package var writesGainMaps: Bool { true }

  package func encode(_ bitmap: Bitmap, gainMap: GainMap?, options: EncodingOptions) throws -> Data {
    guard let gainMap else {
      let (base, map) = try GainMap.derived(from: bitmap)
      guard let map else { return try encode(base, options: options) }
      return try encode(base, gainMap: map, options: options)
    }
    try check(bitmap.size)
    var mapOptions = options
    // Blocks of a map are seen as edges of brightness.
    mapOptions.quality = (1 + options.quality) / 2
    let map = try JPEGSegments.adding(
      [
        JPEGSegments.Addition(0xE1, JPEGHeader.xmpPrefix, gainMap.parameters.xmp),
        JPEGSegments.Addition(0xE2, GainMap.Parameters.isoPrefix, gainMap.parameters.isoData),
      ], to: file(of: gainMap.bitmap, options: mapOptions)
    ).file
    return try primary(bitmap, mapByteCount: map.count, options) + map
  }

  /// The picture with an index of itself and of the map behind it.
  private func primary(_ bitmap: Bitmap, mapByteCount: Int, _ options: EncodingOptions) throws -> Data {
    let metadata = WritableMetadata(options.metadata, bitmap.colorSpace)
    var packet = XMPPacket.packet(adding: mapByteCount, to: metadata?.xmp)
    if !JPEGSegments.Addition(0xE1, JPEGHeader.xmpPrefix, packet).fits {
      packet = XMPPacket.packet(adding: mapByteCount, to: nil)
    }
    var (file, end) = JPEGSegments.adding(
      [
        metadata?.exifAddition, JPEGSegments.Addition(0xE1, JPEGHeader.xmpPrefix, packet), metadata?.profileAddition,
        JPEGSegments.Addition(0xE2, GainMap.Parameters.isoPrefix, Data(GainMap.Parameters.isoVersion)),
        JPEGSegments.Addition(0xE2, MultiPicture.prefix, Data(count: MultiPicture.indexByteCount)),
      ].compactMap(\.self), to: try self.file(of: bitmap, options: options))
    let start = end - MultiPicture.indexByteCount
    file.replaceSubrange(start..<end, with: MultiPicture.index(of: file.count, and: mapByteCount, from: start))
    return file
  }
}
