extension GainMap {
  /// The picture with high dynamic range, as half floats: `(SDR + offset) · 2^gain - offset` in linear light of the base.
  ///
  /// Samples between those of a smaller map are interpolated (bilinear).
  ///
  /// - Parameters:
  ///   - base: The standard picture, of which the map covers as much.
  ///   - headroom: That of the screen in stops. Default: the whole gain applies.
  /// - Throws: ``ImageDecodingError/outOfMemory(_:)``.
  package func applied(to base: Bitmap, headroom: Double = .infinity) throws -> Bitmap {
    let base = try base.inStandardRange()
    var rows = GainMapRows(
      parameters, isGrey: isGrey, mapSize: bitmap.size,
      of: (base.isOpaque ? .rgba : .rgbaPremultiplied, base.size, base.colorSpace), headroom: headroom)
    return try Bitmap(size: base.size, isOpaque: base.isOpaque, dynamicRange: .high) { output in
      guard let output = output.bindMemory(to: SIMD4<UInt16>.self).baseAddress else { return }
      base.withUnsafeBytes { bytes in
        bitmap.withUnsafeBytes { map in
          guard let start = bytes.bindMemory(to: UInt8.self).baseAddress, let map = map.baseAddress else { return }
          for row in 0..<base.size.height {
            let place = rows.place(ofRow: row)
            rows.setMap(
              map + place.first * bitmap.bytesPerRow, map + place.second * bitmap.bytesPerRow, share: place.share)
            rows.write(start + row * base.bytesPerRow, into: output + row * base.size.width)
          }
        }
      }
    }
  }
}
