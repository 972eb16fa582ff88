extension GainMap {
  /// The picture with high dynamic range, as half floats: `(SDR + offset) · 2^gain - offset` in linear light of the base.
  ///
  /// Samples between those of a smaller map are interpolated (bilinear).
  ///
  /// - Parameters:
  ///   - base: The standard picture; the map covers all of it. Its memory is returned to the system while it is read,
  ///     unless it is shared.
  ///   - headroom: That of the screen in stops. Default: the whole gain applies.
  /// - Throws: ``ImageDecodingError/outOfMemory(_:)``.
  package func applied(to base: consuming Bitmap, headroom: Double = .infinity) throws -> Bitmap {
    if base.dynamicRange == .high { base = try base.inStandardRange() }
    let (size, isOpaque) = (base.size, base.isOpaque)
    var rows = GainMapRows(
      parameters, isGrey: isGrey, mapSize: bitmap.size,
      of: (isOpaque ? .rgba : .rgbaPremultiplied, size, base.colorSpace), headroom: headroom)
    return try Bitmap(size: size, isOpaque: isOpaque, dynamicRange: .high) { output in
      guard let output = output.bindMemory(to: SIMD4<UInt16>.self).baseAddress else { return }
      let step = max(1, Self.byteCountBetweenDiscards / base.bytesPerRow)
      for start in stride(from: 0, to: size.height, by: step) {
        base.discard(rowsBefore: start)
        write(start..<min(start + step, size.height), of: base, by: &rows, into: output)
      }
    }
  }

  private static let byteCountBetweenDiscards = 1 << 20

  private func write(
    _ range: Range<Int>, of base: Bitmap, by rows: inout GainMapRows, into output: UnsafeMutablePointer<SIMD4<UInt16>>
  ) {
    base.withUnsafeBytes { bytes in
      bitmap.withUnsafeBytes { map in
        guard let start = bytes.bindMemory(to: UInt8.self).baseAddress, let map = map.baseAddress else { return }
        for row in range {
          let place = rows.place(ofRow: row)
          rows.setMap(
            map + place.first * bitmap.bytesPerRow, map + place.second * bitmap.bytesPerRow, share: place.share)
          rows.write(start + row * base.bytesPerRow, into: output + row * base.size.width)
        }
      }
    }
  }
}
