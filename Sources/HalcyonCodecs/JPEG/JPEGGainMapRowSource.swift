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

  func finish() throws(ImageDecodingError) {
    try picture.finish()
    try readMap(until: map.size.height)
    try map.finish()
  }

  private func readMap(until count: Int) throws(ImageDecodingError) {
    while mapRowCount < count {
      swap(&mapRow, &mapRowAbove)
      try map.readRow(intoPixels: &mapRow)
      mapRowCount += 1
    }
  }
}
#endif
