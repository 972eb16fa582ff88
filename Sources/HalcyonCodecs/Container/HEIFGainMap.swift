import Foundation
import HalcyonImaging

/// The gain map of an AVIF or HEIC file: an input of a tone-mapped image (`tmap`; ISO/IEC 23008-12:2025, 6.6.2.5), or an
/// auxiliary image of Apple's cameras, whose headroom is in their maker note, or in an XMP packet of the map.
struct HEIFGainMap {
  /// The item of its image.
  let item: Int
  let header: HEIFImageHeader
  let encoded: EncodedGainMap

  /// `nil` if the file has no map, or one that cannot belong to the picture.
  ///
  /// - Parameters:
  ///   - metadata: The `meta` box of the file.
  ///   - whole: The header of the picture.
  init?(
    _ file: Bytes, _ metadata: Bytes, _ whole: HEIFImageHeader, _ format: ImageFormat,
    limits: ImageLimits = ImageLimits()
  ) {
    guard let table = try? ItemTable(metadata, format), let kind = whole.gainMap, whole.color?.highDynamicRange == nil,
      let map = table.gainMap,
      let header = try? HEIFImageHeaderParser.header(of: map.image, in: table, format)
    else { return nil }
    var parameters: GainMap.Parameters?
    if let item = map.parameters {
      // The first byte is a version.
      let data = ItemLocations(file, metadata).data(of: item)?.first
      parameters = data.flatMap { $0[0] == 0 ? GainMap.Parameters(iso: $0[1..<$0.count]) : nil }
    } else {
      let headroom = HEIFMetadata.blocks(of: file, metadata, table).exif.flatMap { exif in
        exif.withUnsafeBytes { ExifData(Bytes($0))?.appleHeadroom }
      }
      let packet = HEIFMetadata.blocks(of: file, metadata, table, item: map.image).xmp.map(XMPPacket.init)
      parameters = GainMap.Parameters(apple: packet, headroom: headroom)
    }
    guard let parameters, parameters.isValid else { return nil }
    (self.item, self.header) = (map.image, header)
    encoded = EncodedGainMap(size: header.aperture.size, isGrey: header.isGrey, parameters: parameters, kind: kind)
    guard encoded.fits(whole.aperture.size, limits, format) else { return nil }
  }
}
