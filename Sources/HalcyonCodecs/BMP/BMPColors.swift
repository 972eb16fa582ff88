/// Converts the stored rows of a bitmap to RGBA.
struct BMPColors {
  /// The bits of a channel in a pixel.
  private struct Channel {
    let shift: UInt32
    let maximum: UInt32

    init(mask: UInt32) {
      shift = mask == 0 ? 0 : UInt32(mask.trailingZeroBitCount)
      maximum = mask >> shift
    }

    func value(_ pixel: UInt32) -> UInt8 {
      let value = (pixel >> shift) & maximum
      guard maximum != 255 else { return UInt8(value) }
      let scaled = UInt64(value) * 255 + UInt64(maximum) / 2
      return UInt8(scaled / UInt64(max(1, maximum)))
    }
  }

  /// 256 colours as RGBA bytes; colours missing from the file are black.
  let palette: [UInt8]
  private let channels: [Channel]

  init(_ bytes: Bytes, header: BMPHeader) {
    var palette: [UInt8] = []
    palette.reserveCapacity(1024)
    for index in 0..<256 {
      let offset = header.palette.offset + index * header.palette.bytesPerColor
      let isStored = index < header.palette.count
      for channel in [2, 1, 0] { palette.append(isStored ? bytes[offset + channel] ?? 0 : 0) }
      palette.append(255)
    }
    self.palette = palette
    channels = header.masks.map(Channel.init(mask:))
  }

  /// Writes a stored row as RGBA with straight alpha. `stored` has at least `count` pixels.
  func unpack(
    _ stored: UnsafeRawBufferPointer, bitCount: Int, count: Int, into row: UnsafeMutablePointer<UInt8>
  ) {
    if bitCount <= 8 {
      unpackIndices(stored, bitCount: bitCount, count: count, into: row)
    } else if bitCount == 24 {
      for pixel in 0..<count {
        for channel in 0..<3 { row[pixel * 4 + channel] = stored[pixel * 3 + 2 - channel] }
        row[pixel * 4 + 3] = 255
      }
    } else {
      let byteCount = bitCount / 8
      for pixel in 0..<count {
        var value: UInt32 = 0
        for byte in 0..<byteCount { value |= UInt32(stored[pixel * byteCount + byte]) << UInt32(byte * 8) }
        unpack(value, into: row + pixel * 4)
      }
    }
  }

  private func unpackIndices(
    _ stored: UnsafeRawBufferPointer, bitCount: Int, count: Int, into row: UnsafeMutablePointer<UInt8>
  ) {
    let mask = UInt8((1 << bitCount) - 1)
    for pixel in 0..<count {
      let bit = pixel * bitCount
      let index = Int((stored[bit / 8] >> UInt8(8 - bitCount - bit % 8)) & mask)
      for channel in 0..<4 { row[pixel * 4 + channel] = palette[index * 4 + channel] }
    }
  }

  private func unpack(_ pixel: UInt32, into target: UnsafeMutablePointer<UInt8>) {
    target[3] = 255
    for (index, channel) in channels.enumerated() where index < 3 || channel.maximum > 0 {
      target[index] = channel.value(pixel)
    }
  }
}
