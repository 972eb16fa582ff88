#if HEIF && !IMAGEIO
import Foundation
import HalcyonImaging

/// The NAL units of a picture: the parameter sets, then the units of the data (ISO/IEC 14496-15, 8.3.3.1 and 4.3).
struct HEVCUnits {
  private static let damaged = ImageDecodingError.corrupt(.heic, reason: "the size of a NAL unit is wrong")

  private let item: HEVCItems.Item

  init(_ item: HEVCItems.Item) {
    self.item = item
  }

  /// Passes the units of the base layer; `body` returns an error to stop at.
  func forEach(_ body: (HEVCUnit) -> ImageDecodingError?) throws(ImageDecodingError) {
    let configuration = item.configuration
    guard let lengthByteCount = configuration[21].map({ Int($0 & 3) + 1 }), let arrayCount = configuration[22] else {
      throw .corrupt(.heic, reason: "its hvcC box is incomplete")
    }
    var offset = 23
    for _ in 0..<arrayCount {
      guard let count = configuration.unsigned16(at: offset + 1) else { throw Self.damaged }
      offset += 3
      for _ in 0..<count { try Self.pass(configuration, &offset, lengthByteCount: 2, body) }
    }
    let data = item.data.count == 1 ? nil : item.data.reduce(into: Data()) { $0.append($1.data) }
    let result: ImageDecodingError? =
      if let data {
        data.withUnsafeBytes { Self.passAll(Bytes($0), lengthByteCount: lengthByteCount, body) }
      } else {
        Self.passAll(item.data[0], lengthByteCount: lengthByteCount, body)
      }
    if let result { throw result }
  }

  private static func passAll(
    _ bytes: Bytes, lengthByteCount: Int, _ body: (HEVCUnit) -> ImageDecodingError?
  ) -> ImageDecodingError? {
    var offset = 0
    do throws(ImageDecodingError) {
      while offset < bytes.count { try pass(bytes, &offset, lengthByteCount: lengthByteCount, body) }
      return nil
    } catch {
      return error
    }
  }

  private static func pass(
    _ bytes: Bytes, _ offset: inout Int, lengthByteCount: Int, _ body: (HEVCUnit) -> ImageDecodingError?
  ) throws(ImageDecodingError) {
    var length = 0
    for index in 0..<lengthByteCount {
      guard let byte = bytes[offset + index] else { throw damaged }
      length = length << 8 | Int(byte)
    }
    let start = offset + lengthByteCount
    guard length <= Int(Int32.max), start + length <= bytes.count else { throw damaged }
    offset = start + length
    let unit = HEVCUnit(bytes: bytes[start..<offset])
    if unit.isBaseLayer, let error = body(unit) { throw error }
  }
}

/// A NAL unit (ITU-T H.265, 7.3.1).
struct HEVCUnit {
  /// The sides of the largest coding tree block, in pixels.
  private static let largestBlock = 64
  private static let sequenceParameters: UInt8 = 33
  private static let (profileBitCount, levelBitCount) = (88, 8)

  let bytes: Bytes

  /// Other layers are other views or sizes of the picture.
  fileprivate var isBaseLayer: Bool {
    guard let first = bytes[0], let second = bytes[1] else { return false }
    return first & 1 == 0 && second >> 3 == 0
  }

  /// Why no picture with these sequence parameters is decoded, before it takes memory.
  ///
  /// Decoders allocate the coded size, of which a window may be shown.
  ///
  /// - Parameters:
  ///   - size: The size that the file states.
  ///   - pictureCount: How many such pictures are in memory at once.
  func error(size: PixelSize, pictureCount: Int, _ limits: ImageLimits) -> ImageDecodingError? {
    guard let first = bytes[0], first >> 1 & 63 == Self.sequenceParameters else { return nil }
    guard let coded = codedSize else { return .corrupt(.heic, reason: "its sequence parameters are damaged") }
    // More hidden columns or rows than the last blocks need count as pixels of the image.
    guard max(coded.width - size.width, coded.height - size.height) >= Self.largestBlock else { return nil }
    do throws(ImageDecodingError) {
      try limits.check(coded, format: .heic)
    } catch {
      return error
    }
    return coded.pixelCount > limits.pixelCount / pictureCount
      ? .tooManyPixels(coded, limit: limits.pixelCount) : nil
  }

  /// The size of sequence parameters (ITU-T H.265, 7.3.2.2.1 and 7.3.3).
  private var codedSize: PixelSize? {
    var bits = HEVCBits(bytes[2..<bytes.count])
    guard bits.skip(4), let layerCount = bits.read(3), bits.skip(1 + Self.profileBitCount + Self.levelBitCount),
      let layers = bits.read(2 * layerCount), bits.skip(layerCount == 0 ? 0 : 2 * (8 - layerCount))
    else { return nil }
    for layer in (0..<layerCount).reversed() {
      let flags = layers >> (2 * layer)
      let bitCount = (flags & 2 == 0 ? 0 : Self.profileBitCount) + (flags & 1 == 0 ? 0 : Self.levelBitCount)
      guard bits.skip(bitCount) else { return nil }
    }
    guard bits.number() != nil, let chroma = bits.number(), bits.skip(chroma == 3 ? 1 : 0) else { return nil }
    guard let width = bits.number(), let height = bits.number() else { return nil }
    return PixelSize(width: width, height: height)
  }
}

/// Reads bits, the most significant first, without the bytes that prevent start codes (ITU-T H.265, 7.3.1.1 and 9.2).
private struct HEVCBits {
  /// More than the size in sequence parameters needs.
  private static let byteLimit = 256
  /// Numbers have less than 32 bits.
  private static let zeroLimit = 31

  private var bytes: [UInt8] = []
  private var position = 0

  init(_ unit: Bytes) {
    var zeroCount = 0
    for byte in unit.buffer.prefix(Self.byteLimit) {
      let isPrevention = zeroCount >= 2 && byte == 3
      zeroCount = byte == 0 ? zeroCount + 1 : 0
      if !isPrevention { bytes.append(byte) }
    }
  }

  /// Whether there are so many.
  mutating func skip(_ count: Int) -> Bool {
    position += count
    return position <= bytes.count * 8
  }

  mutating func read(_ count: Int) -> Int? {
    let start = position
    guard skip(count) else { return nil }
    return (start..<position).reduce(0) { value, index in
      let bit = bytes[index / 8] >> (7 - index % 8) & 1
      return value << 1 | Int(bit)
    }
  }

  /// An Exp-Golomb code.
  mutating func number() -> Int? {
    var zeroCount = 0
    while let bit = read(1), bit == 0 { zeroCount += 1 }
    guard zeroCount <= Self.zeroLimit, let rest = read(zeroCount) else { return nil }
    return 1 << zeroCount - 1 + rest
  }
}
#endif
