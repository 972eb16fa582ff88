import Foundation
import HalcyonImaging

/// The gain maps of Apple's cameras, by the article "Applying Apple HDR effect to your photos".
extension GainMap.Parameters {
  /// `nil` if nothing states the headroom: then Apple's article does not apply the map, and neither do browsers.
  ///
  /// - Parameters:
  ///   - packet: The XMP packet of the map, in which newer systems state the headroom.
  ///   - headroom: That of the maker note of the picture, in stops.
  init?(apple packet: XMPPacket?, headroom: Double?) {
    let stated = packet?.value(.appleMap, "HDRGainMapHeadroom").flatMap(Double.init).map(log2)
    guard let headroom = stated ?? headroom else { return nil }
    self.init()
    (gainMax, capacityMax) = (SIMD3(repeating: headroom), headroom)
    (offsetSDR, offsetHDR) = (.zero, .zero)
    guard isValid else { return nil }
  }
}

extension EncodedGainMap {
  /// For an Apple map, the share of its stops that each value stands for; `nil` for other maps, whose values are
  /// shares.
  var shares: [UInt8]? {
    kind == .apple ? (0...255).map { Self.appleShare(of: $0, headroom: parameters.capacityMax) } : nil
  }

  /// The samples of the file, converted to shares of the stops.
  func samples(_ bitmap: Bitmap) throws -> Bitmap {
    guard let shares else { return bitmap }
    var bitmap = bitmap
    try bitmap.withUnsafeMutableBytes { Self.replace($0, by: shares) }
    return bitmap
  }

  /// Replaces red, green and blue of samples of four bytes.
  static func replace(_ bytes: UnsafeMutableRawBufferPointer, by shares: [UInt8]) {
    for index in bytes.indices where index % 4 < 3 { bytes[index] = shares[Int(bytes[index])] }
  }

  /// The share of the stops of a value of Apple's map, which has the transfer function of BT.709: 0 for the factor 1, and 255
  /// for all stops, with light in between, not stops.
  private static func appleShare(of value: Int, headroom: Double) -> UInt8 {
    let value = Double(value) / 255
    let light = value < 0.081 ? value / 4.5 : pow((value + 0.099) / 1.099, 1 / 0.45)
    guard headroom > 0 else { return 0 }
    // At a very small headroom, rounding errors could give more than all stops.
    return UInt8((255 * min(log2(1 + (exp2(headroom) - 1) * light) / headroom, 1)).rounded())
  }
}
