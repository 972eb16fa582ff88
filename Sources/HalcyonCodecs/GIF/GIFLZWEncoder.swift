import Foundation

/// Compresses the palette indices of one GIF frame (LZW, GIF89a, appendix F).
struct GIFLZWEncoder {
  private static let codeLimit = 4096
  private static let slotCount = 1 << 13

  private let clearCode: Int
  private var codeWidth = 0
  private var nextCode = 0
  /// A hash table from a string's code and the next index to the code of the longer string.
  private var keys: [Int32] = []
  private var codes = [UInt16](repeating: 0, count: slotCount)
  private var bits: UInt32 = 0
  private var bitCount = 0
  private var block: [UInt8] = []
  private var output = Data()

  /// The image data of a frame: LZW minimum code size, sub-blocks and block terminator.
  ///
  /// - Parameter bitCount: The bits per index, 1 to 8.
  static func data(_ indices: [UInt8], bitCount: Int) -> Data {
    // The minimum code size is 2, also for two colours.
    let width = max(2, bitCount)
    var encoder = GIFLZWEncoder(clearCode: 1 << width)
    encoder.encode(indices)
    return Data([UInt8(width)]) + encoder.output + [0]
  }

  private init(clearCode: Int) {
    self.clearCode = clearCode
    reset()
  }

  private mutating func reset() {
    codeWidth = clearCode.trailingZeroBitCount + 1
    nextCode = clearCode + 2
    keys = Array(repeating: -1, count: Self.slotCount)
  }

  private mutating func encode(_ indices: [UInt8]) {
    write(clearCode)
    guard var string = indices.first.map(Int.init) else { return finish() }
    for index in indices.dropFirst() {
      let key = Int32(string << 8 | Int(index))
      let slot = slot(for: key)
      if keys[slot] == key {
        string = Int(codes[slot])
        continue
      }
      write(string)
      string = Int(index)
      addString(key, at: slot)
    }
    write(string)
    finish()
  }

  private mutating func addString(_ key: Int32, at slot: Int) {
    guard nextCode < Self.codeLimit else {
      write(clearCode)
      return reset()
    }
    keys[slot] = key
    codes[slot] = UInt16(nextCode)
    if nextCode == 1 << codeWidth { codeWidth += 1 }
    nextCode += 1
  }

  private func slot(for key: Int32) -> Int {
    var slot = Int((UInt32(bitPattern: key) &* 2_654_435_769) >> 19)
    while keys[slot] >= 0, keys[slot] != key { slot = (slot + 1) & (Self.slotCount - 1) }
    return slot
  }

  private mutating func write(_ code: Int) {
    bits |= UInt32(code) << UInt32(bitCount)
    bitCount += codeWidth
    while bitCount >= 8 {
      writeByte(UInt8(truncatingIfNeeded: bits))
      bits >>= 8
      bitCount -= 8
    }
  }

  private mutating func writeByte(_ byte: UInt8) {
    block.append(byte)
    if block.count == 255 { flushBlock() }
  }

  private mutating func flushBlock() {
    output.append(UInt8(block.count))
    output.append(contentsOf: block)
    block.removeAll(keepingCapacity: true)
  }

  private mutating func finish() {
    write(clearCode + 1)
    if bitCount > 0 { writeByte(UInt8(truncatingIfNeeded: bits)) }
    if !block.isEmpty { flushBlock() }
  }
}
