import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.unitTest)
struct BytesTests {
  private func read<Value>(_ bytes: [UInt8], _ body: (Bytes) throws -> Value) rethrows -> Value {
    try bytes.withUnsafeBytes { try body(Bytes($0)) }
  }

  @Test func `numbers are read in both byte orders`() {
    read([0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0, 1]) { bytes in
      #expect(bytes.unsigned32(at: 0) == 0x1234_5678)
      #expect(bytes.unsigned32(at: 0, littleEndian: true) == 0x7856_3412)
      #expect(bytes.bits32(at: 4) == 0x9ABC_DEF0)
      #expect(bytes.bits64(at: 0) == 0x1234_5678_9ABC_DEF0)
      #expect(bytes.bits64(at: 0, littleEndian: true) == 0xF0DE_BC9A_7856_3412)
      #expect(bytes.unsigned32(at: 6) == nil && bytes.bits64(at: 2) == nil && bytes.unsigned32(at: -1) == nil)
    }
  }

  @Test func `offsets can be added to any length that a file states`() {
    read(Array(repeating: 0xFF, count: 8)) { bytes in
      #expect(bytes.unsigned64(at: 0) == Bytes.largest)
      let length = bytes.unsigned32(at: 0) ?? 0
      #expect(length == min(Int(clamping: UInt32.max), Bytes.largest))
      #expect(!length.multipliedReportingOverflow(by: 8).overflow)
    }
  }
}
