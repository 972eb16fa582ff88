import Foundation

/// Compresses colour indices as GIF wants them (GIF89a, appendix F): what ``GIFPixelStream`` reads.
struct GIFPixelWriter {
  private static let codeLimit = 4096
  private static let slotCount = 1 << 13

  private let clearCode: Int
  private var codeWidth = 0
  private var nextCode = 0
  /// A hash table from the code of a string and the index behind it to the code of both.
  private var keys: [Int32] = []
  private var codes = [UInt16](repeating: 0, count: slotCount)
  private var bits: UInt32 = 0
  private var bitCount = 0
  private var block: [UInt8] = []
  private var output = Data()

  /// The data of a picture: bits of an index, sub-blocks, and their end.
  ///
  /// - Parameter bitCount: Bits of an index, 1 to 8.
  static func data(_ indices: [UInt8], bitCount: Int) -> Data {
    // The standard has no codes of fewer bits, also for two colours.
    let width = max(2, bitCount)
    var writer = GIFPixelWriter(clearCode: 1 << width)
    writer.write(indices)
    return Data([UInt8(width)]) + writer.output + [0]
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

  private mutating func write(_ indices: [UInt8]) {
    put(clearCode)
    guard var string = indices.first.map(Int.init) else { return finish() }
    for index in indices.dropFirst() {
      let key = Int32(string << 8 | Int(index))
      let slot = slot(for: key)
      if keys[slot] == key {
        string = Int(codes[slot])
        continue
      }
      put(string)
      string = Int(index)
      learn(key, at: slot)
    }
    put(string)
    finish()
  }

  private mutating func learn(_ key: Int32, at slot: Int) {
    guard nextCode < Self.codeLimit else {
      put(clearCode)
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

  private mutating func put(_ code: Int) {
    bits |= UInt32(code) << UInt32(bitCount)
    bitCount += codeWidth
    while bitCount >= 8 {
      putByte(UInt8(truncatingIfNeeded: bits))
      bits >>= 8
      bitCount -= 8
    }
  }

  private mutating func putByte(_ byte: UInt8) {
    block.append(byte)
    if block.count == 255 { putBlock() }
  }

  private mutating func putBlock() {
    output.append(UInt8(block.count))
    output.append(contentsOf: block)
    block.removeAll(keepingCapacity: true)
  }

  private mutating func finish() {
    put(clearCode + 1)
    if bitCount > 0 { putByte(UInt8(truncatingIfNeeded: bits)) }
    if !block.isEmpty { putBlock() }
  }
}
