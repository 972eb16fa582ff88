import HalcyonImaging

/// The rows of one picture of a GIF file, from top to bottom.
final class GIFRowSource: RowSource {
  let size: PixelSize
  let isOpaque: Bool

  private var stream: GIFPixelStream
  private let colors: [UInt32]
  /// All indices of an interlaced picture, whose rows come in another order.
  private var interlaced: [UInt8]?
  private var indices: [UInt8]
  private var nextRow = 0

  /// - Parameters:
  ///   - bytes: The whole file; must outlive the source.
  ///   - palette: The table for pictures that have none.
  init(_ bytes: UnsafeRawBufferPointer, picture: GIFFrame, palette: Range<Int>?) throws(ImageDecodingError) {
    size = picture.area.size
    isOpaque = picture.transparentIndex == nil
    stream = try GIFPixelStream(bytes, at: picture.dataOffset)
    colors = Self.colors(Bytes(bytes), palette: picture.palette ?? palette, transparent: picture.transparentIndex)
    indices = Array(repeating: 0, count: size.width)
    if picture.isInterlaced { interlaced = try readInterlaced() }
  }

  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    if let interlaced {
      for column in 0..<size.width { indices[column] = interlaced[nextRow * size.width + column] }
    } else {
      try readIndices()
    }
    nextRow += 1
    row.withMemoryRebound(to: UInt32.self, capacity: size.width) { pixels in
      for column in 0..<size.width { pixels[column] = colors[Int(indices[column])] }
    }
  }

  func finish() {}

  private func readIndices() throws(ImageDecodingError) {
    let count = try indices.withUnsafeMutableBufferPointer { (indices) throws(ImageDecodingError) in
      guard let start = indices.baseAddress else { return 0 }
      return try stream.read(into: start, count: indices.count)
    }
    guard count == size.width else { throw .corrupt(.gif, reason: "a picture lacks pixels") }
  }

  /// Every eighth row, those between them, every second, and the rest (GIF89a, appendix E).
  private func readInterlaced() throws(ImageDecodingError) -> [UInt8] {
    var all = [UInt8](repeating: 0, count: size.pixelCount)
    for (first, step) in [(0, 8), (4, 8), (2, 4), (1, 2)] {
      for row in stride(from: first, to: size.height, by: step) {
        try readIndices()
        for column in 0..<size.width { all[row * size.width + column] = indices[column] }
      }
    }
    return all
  }

  /// 256 pixels as they lie in memory. What a table lacks is black; without any table indices are greys.
  private static func colors(_ bytes: Bytes, palette: Range<Int>?, transparent: UInt8?) -> [UInt32] {
    (0..<256).map { index in
      guard index != transparent.map(Int.init) else { return 0 }
      let offset = (palette?.lowerBound ?? 0) + index * 3
      var color: UInt32 = 0xFF00_0000
      for channel in 0..<3 {
        let isStored = offset + channel < palette?.upperBound ?? 0
        let value = palette == nil ? UInt8(index) : isStored ? bytes[offset + channel] ?? 0 : 0
        color |= UInt32(value) << UInt32(channel * 8)
      }
      return color.littleEndian
    }
  }
}
