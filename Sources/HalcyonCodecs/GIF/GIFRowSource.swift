@_spi(Programs) import HalcyonImaging

/// The rows of one frame of a GIF file, from top to bottom.
final class GIFRowSource: RowSource {
  let size: PixelSize
  let isOpaque: Bool

  private var lzw: GIFLZWDecoder
  private let colors: [UInt32]
  /// All palette indices of an interlaced frame, whose rows are stored in another order.
  private var interlaced: [UInt8]?
  /// The number of rows decoded so far, counted from the top.
  private var interlacedRowCount = 0
  private var indices: [UInt8]
  private var nextRow = 0

  /// - Parameters:
  ///   - bytes: The whole file; must outlive the source.
  ///   - palette: The global colour table, for frames without one of their own.
  ///   - acceptsDamage: Whether missing rows of an interlaced frame in a damaged file are copied from the rows above,
  ///     if there are any.
  init(
    _ bytes: UnsafeRawBufferPointer, frame: GIFFrame, palette: Range<Int>?, acceptsDamage: Bool = false
  ) throws(ImageDecodingError) {
    size = frame.area.size
    isOpaque = frame.transparentIndex == nil
    lzw = try GIFLZWDecoder(bytes, at: frame.dataOffset)
    colors = Self.colors(Bytes(bytes), palette: frame.palette ?? palette, transparent: frame.transparentIndex)
    indices = Array(repeating: 0, count: size.width)
    if frame.isInterlaced { interlaced = try readInterlaced(acceptsDamage: acceptsDamage) }
  }

  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    if let interlaced {
      guard nextRow < interlacedRowCount else { throw .truncated(.gif) }
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
      return try lzw.read(into: start, count: indices.count)
    }
    guard count == size.width else { throw .corrupt(.gif, reason: "a frame has too few pixels") }
  }

  /// The indices of all rows, which are stored in four passes (GIF89a, appendix E).
  private func readInterlaced(acceptsDamage: Bool) throws(ImageDecodingError) -> [UInt8] {
    var all = [UInt8](repeating: 0, count: size.pixelCount)
    for (first, step, height) in [(0, 8, 8), (4, 8, 4), (2, 4, 2), (1, 2, 1)] {
      for row in stride(from: first, to: size.height, by: step) {
        do throws(ImageDecodingError) {
          try readIndices()
        } catch {
          guard acceptsDamage, error.isDamage else { throw error }
          return all
        }
        // In a damaged file, later passes may be missing: this row fills their rows below it until they are read.
        for target in row..<min(row + (acceptsDamage ? height : 1), size.height) {
          for column in 0..<size.width { all[target * size.width + column] = indices[column] }
        }
        interlacedRowCount = max(interlacedRowCount, min(row + height, size.height))
      }
    }
    return all
  }

  /// The 256 colours as RGBA pixels in memory. Colours missing from the table are black; without a table, indices are
  /// grey values.
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
