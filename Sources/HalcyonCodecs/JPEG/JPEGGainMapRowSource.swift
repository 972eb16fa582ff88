#if !IMAGEIO
import HalcyonImaging

/// The rows of a picture with its gain map applied, as half floats, while the rows of both are decoded.
///
/// The picture is not rounded to bytes of red, green and blue first, unless a profile converts its colours.
final class JPEGGainMapRowSource: RowSource {
  let isOpaque = true
  let dynamicRange = DynamicRange.high
  var size: PixelSize { picture.size }

  private let picture: JPEGRowSource
  private let transform: ColorTransform?
  private let map: JPEGRowSource
  private let shares: [UInt8]?
  private var gains: GainMapRows
  private var pictureRow: [UInt8]
  private var rowCount = 0
  /// The last row of the map that has been read.
  private var mapRow: [UInt32]
  private var mapRowAbove: [UInt32]
  private var mapRowCount = 0

  init(
    of file: JPEGFile, colors: ColorMapping, _ gainMap: EncodedGainMap, of mapFile: JPEGFile
  ) throws(ImageDecodingError) {
    picture = try file.rows(scale: .full, prefersYCbCr: colors.transform == nil)
    transform = colors.transform
    map = try mapFile.rows(scale: .full)
    shares = gainMap.shares
    gains = GainMapRows(
      gainMap.parameters, isGrey: gainMap.isGrey, mapSize: map.size,
      of: (picture.isYCbCr ? .yCbCr : .rgba, picture.size, colors.colorSpace))
    pictureRow = Array(repeating: 0, count: picture.size.width * 4)
    mapRow = Array(repeating: 0, count: map.size.width)
    mapRowAbove = mapRow
  }

  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    let place = gains.place(ofRow: rowCount)
    try readMap(until: place.second + 1)
    gains.setMap(place.first == place.second ? mapRow : mapRowAbove, mapRow, share: place.share)
    try pictureRow.withUnsafeMutableBufferPointer { (pixels) throws(ImageDecodingError) in
      guard let pixels = pixels.baseAddress else { return }
      try picture.readRow(into: pixels)
      transform?.convert(pixels, to: pixels, count: size.width)
      gains.write(pixels, into: UnsafeMutableRawPointer(row).assumingMemoryBound(to: SIMD4<UInt16>.self))
    }
    rowCount += 1
  }

  func limit(to area: PixelArea) throws(ImageDecodingError) { try picture.limit(to: area) }

  func skipRows(_ count: Int) throws(ImageDecodingError) {
    try picture.skipRows(count)
    rowCount += count
  }

  func stop() {
    picture.stop()
    map.stop()
  }

  func finish() throws(ImageDecodingError) {
    try picture.finish()
    try readMap(until: map.size.height)
    try map.finish()
  }

  private func readMap(until count: Int) throws(ImageDecodingError) {
    while mapRowCount < count {
      swap(&mapRow, &mapRowAbove)
      try map.readRow(intoPixels: &mapRow)
      if let shares { mapRow.withUnsafeMutableBytes { EncodedGainMap.replace($0, by: shares) } }
      mapRowCount += 1
    }
  }
}

extension RowSource {
  /// All rows of half floats, turned upright while they are read.
  func bitmap(upright orientation: ImageOrientation, isCancelled: () -> Bool) throws -> Bitmap {
    guard orientation != .up else { return try bitmap(isCancelled: isCancelled) }
    let upright = orientation.swapsAxes ? size.transposed : size
    return try Bitmap(size: upright, isOpaque: isOpaque, dynamicRange: .high) { output in
      guard let output = output.bindMemory(to: UInt64.self).baseAddress else { return }
      var rows = [UInt64](repeating: 0, count: size.width * Bitmap.blockSide)
      for top in stride(from: 0, to: size.height, by: Bitmap.blockSide) {
        if isCancelled() { throw ImageDecodingError.cancelled }
        let range = top..<min(top + Bitmap.blockSide, size.height)
        try rows.withUnsafeMutableBytes { bytes in
          guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
          for row in 0..<range.count { try readRow(into: start + row * size.width * dynamicRange.bytesPerPixel) }
        }
        orientation.copy(rows, range, storedSize: size, toUpright: output)
      }
      try finish()
    }
  }
}
#endif
