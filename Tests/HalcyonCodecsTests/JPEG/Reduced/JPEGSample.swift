#if !IMAGEIO
import Foundation
import HalcyonImaging

/// Files of random blocks with any sampling and any tables, as no encoder writes them.
struct JPEGSample {
  /// The sampling factors of luma, blue and red.
  var sampling = [(2, 2), (1, 1), (1, 1)]
  /// For each component, the numbers of its quantisation steps and of its Huffman tables for DC and AC.
  var steps = [0, 1, 1]
  var differences = [0, 1, 1]
  var coefficients = [0, 1, 1]
  /// The MCUs across and down.
  var units = (3, 2)

  /// A baseline file. Each block has a DC coefficient and up to three others.
  var file: Data {
    let bytes = blocks { component, bits, random in
      for run in [0, 1, random.number(0...9)] {
        let value = random.number(1...6) * (random.number(0...1) * 2 - 1)
        write(value, run: run, table: coefficients[component], Self.coefficientSymbols, &bits)
      }
      writeSymbol(0, table: coefficients[component], Self.coefficientSymbols, &bits)
    }
    return Data(head(frame: 0xC1) + scan([0, 1, 2], 0, 63) + bytes + [0xFF, 0xD9])
  }

  /// The blocks of a scan of all components: a DC coefficient each, and what `writeRest` writes.
  private func blocks(_ writeRest: (_ component: Int, inout Bits, inout Random) -> Void) -> [UInt8] {
    var (bits, random, last) = (Bits(), Random(), [0, 0, 0])
    for _ in 0..<units.0 * units.1 {
      for component in 0..<3 {
        for _ in 0..<sampling[component].0 * sampling[component].1 {
          let value = random.number(-25...25)
          write(value - last[component], run: 0, table: differences[component], Self.differenceSymbols, &bits)
          last[component] = value
          writeRest(component, &bits, &random)
        }
      }
    }
    return bits.bytes
  }

  /// A progressive file: a scan of all DC coefficients, and one of each single AC coefficient, which are 0.
  func progressiveFile(scanCount: Int) -> Data {
    var file = head(frame: 0xC2) + scan([0, 1, 2], 0, 0) + blocks { _, _, _ in }
    let counts = sampling.map { across, down in units.0 * across * units.1 * down }
    for index in 0..<scanCount - 1 {
      let component = index % 3
      var bits = Bits()
      for _ in 0..<counts[component] {
        writeSymbol(0, table: coefficients[component], Self.coefficientSymbols, &bits)
      }
      file += scan([component], index / 3 + 1, index / 3 + 1)
      file += bits.bytes
    }
    return Data(file + [0xFF, 0xD9])
  }

  /// The sizes of differences have codes of 4 bits, pairs of a run and a size those of 8 bits.
  private static let differenceSymbols = Array(UInt8(0)...11)
  private static let coefficientSymbols: [UInt8] = {
    let pairs = (0..<16).flatMap { run in (1...10).map { size in UInt8(run << 4 | size) } }
    return pairs + [0, 0xF0]
  }()

  /// The symbols in the order of their codes, which differs from table to table.
  private static func ordered(_ symbols: [UInt8], table: Int) -> [UInt8] {
    Array(symbols[(table * 5)...] + symbols[..<(table * 5)])
  }

  private func head(frame: UInt8) -> [UInt8] {
    let size = PixelSize(
      width: units.0 * (sampling.map(\.0).max() ?? 1) * 8, height: units.1 * (sampling.map(\.1).max() ?? 1) * 8)
    var bytes: [UInt8] = [0xFF, 0xD8]
    for table in Set(steps).sorted() {
      let steps = (0..<64).map { UInt8(8 + 6 * table + $0 / 4) }
      bytes += Self.segment(0xDB, [UInt8(table)] + steps)
    }
    var frameHeader: [UInt8] =
      [8] + FileSurgery.bytes(size.height, count: 2) + FileSurgery.bytes(size.width, count: 2) + [3]
    for index in 0..<3 {
      frameHeader += [UInt8(index + 1), UInt8(sampling[index].0 << 4 | sampling[index].1), UInt8(steps[index])]
    }
    bytes += Self.segment(frame, frameHeader)
    let lengths: [(Int, [UInt8], [Int])] = [
      (4, Self.differenceSymbols, differences), (8, Self.coefficientSymbols, coefficients),
    ]
    for (kind, (length, symbols, tables)) in lengths.enumerated() {
      for table in Set(tables).sorted() {
        var counts = [UInt8](repeating: 0, count: 16)
        counts[length - 1] = UInt8(symbols.count)
        bytes += Self.segment(0xC4, [UInt8(kind << 4 | table)] + counts + Self.ordered(symbols, table: table))
      }
    }
    return bytes
  }

  private func scan(_ components: [Int], _ first: Int, _ last: Int) -> [UInt8] {
    var header = [UInt8(components.count)]
    for component in components {
      header += [UInt8(component + 1), UInt8(differences[component] << 4 | coefficients[component])]
    }
    header += [UInt8(first), UInt8(last), 0]
    return Self.segment(0xDA, header)
  }

  private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xFF, marker] + FileSurgery.bytes(content.count + 2, count: 2) + content
  }

  private func writeSymbol(_ symbol: UInt8, table: Int, _ symbols: [UInt8], _ bits: inout Bits) {
    let code = Self.ordered(symbols, table: table).firstIndex(of: symbol) ?? 0
    bits.append(code, count: symbols.count < 16 ? 4 : 8)
  }

  /// A number after zeros (ITU-T T.81, F.1.2).
  private func write(_ value: Int, run: Int, table: Int, _ symbols: [UInt8], _ bits: inout Bits) {
    let size = Int.bitWidth - abs(value).leadingZeroBitCount
    writeSymbol(UInt8(run << 4 | size), table: table, symbols, &bits)
    bits.append(value < 0 ? value + (1 << size) - 1 : value, count: size)
  }

  private struct Bits {
    private var digits: [Bool] = []

    mutating func append(_ value: Int, count: Int) { digits += (0..<count).reversed().map { value >> $0 & 1 == 1 } }

    /// Filled with ones, and a zero after each byte of ones.
    var bytes: [UInt8] {
      stride(from: 0, to: digits.count, by: 8).flatMap { start -> [UInt8] in
        let byte = (start..<start + 8).reduce(UInt8(0)) { byte, index in
          byte << 1 | (index >= digits.count || digits[index] ? 1 : 0)
        }
        return byte == 0xFF ? [0xFF, 0] : [byte]
      }
    }
  }

  private struct Random {
    private var state: UInt32 = 1

    mutating func number(_ range: ClosedRange<Int>) -> Int {
      state = state &* 1_664_525 &+ 1_013_904_223
      return range.lowerBound + Int(state >> 16) % range.count
    }
  }
}
#endif
