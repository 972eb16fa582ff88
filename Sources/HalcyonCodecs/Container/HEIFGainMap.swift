import Foundation
import HalcyonImaging

/// The gain map of an AVIF or HEIC file: an input of a tone-mapped image (`tmap`; ISO/IEC 23008-12:2025, 6.6.2.5), or an
/// auxiliary image of Apple's cameras, whose parameters are in their maker note.
struct HEIFGainMap {
  /// The item of its image.
  let item: Int
  let header: HEIFImageHeader
  let encoded: EncodedGainMap
  /// What the values of an Apple map are as shares of its stops; `nil` for others, which are such shares.
  private let shares: [UInt8]?

  /// `nil` if the file has no map, or one that cannot belong to the picture.
  ///
  /// - Parameters:
  ///   - metadata: The `meta` box of the file.
  ///   - whole: The header of the picture.
  init?(
    _ file: Bytes, _ metadata: Bytes, _ whole: HEIFImageHeader, _ format: ImageFormat,
    limits: ImageLimits = ImageLimits()
  ) {
    let table = ItemTable(metadata)
    guard let kind = whole.gainMap, whole.color?.highDynamicRange == nil, let map = table.gainMap,
      let header = try? HEIFImageHeaderParser.header(of: map.image, in: table, format)
    else { return nil }
    var parameters: GainMap.Parameters?
    if let item = map.parameters {
      // A version comes first.
      let data = ItemLocations(file, metadata).data(of: item)?.first
      parameters = data.flatMap { $0[0] == 0 ? GainMap.Parameters(iso: $0[1..<$0.count]) : nil }
      shares = nil
    } else {
      let headroom = HEIFMetadata.exif(of: file, metadata).flatMap { exif in
        exif.withUnsafeBytes { ExifData(Bytes($0))?.appleHeadroom }
      }
      parameters = headroom.map { GainMap.Parameters(appleHeadroom: $0) }
      shares = headroom.map { headroom in (0...255).map { Self.share(of: $0, headroom: headroom) } }
    }
    guard let parameters, parameters.isValid else { return nil }
    (self.item, self.header) = (map.image, header)
    encoded = EncodedGainMap(size: header.aperture.size, isGrey: header.isGrey, parameters: parameters, kind: kind)
    guard encoded.fits(whole.aperture.size, limits, format) else { return nil }
  }

  /// A bitmap of the decoded values.
  func samples(_ bitmap: Bitmap) throws -> Bitmap {
    guard let shares else { return bitmap }
    var bitmap = bitmap
    try bitmap.withUnsafeMutableBytes { bytes in
      for index in bytes.indices where index % 4 < 3 { bytes[index] = shares[Int(bytes[index])] }
    }
    return bitmap
  }

  /// The share of the stops of a value of Apple's map, which has the transfer function of BT.709: 0 for the factor 1, and 255
  /// for all stops, with light in between, not stops.
  private static func share(of value: Int, headroom: Double) -> UInt8 {
    let value = Double(value) / 255
    let light = value < 0.081 ? value / 4.5 : pow((value + 0.099) / 1.099, 1 / 0.45)
    guard headroom > 0 else { return 0 }
    return UInt8((255 * log2(1 + (exp2(headroom) - 1) * light) / headroom).rounded())
  }
}

extension GainMap.Parameters {
  /// - Parameter headroom: In stops.
  fileprivate init(appleHeadroom headroom: Double) {
    self.init()
    (gainMax, capacityMax) = (SIMD3(repeating: headroom), headroom)
    (offsetSDR, offsetHDR) = (.zero, .zero)
  }
}
