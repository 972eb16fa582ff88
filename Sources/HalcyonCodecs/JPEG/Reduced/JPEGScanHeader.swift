#if !IMAGEIO
/// The header of a scan (ITU-T T.81, B.2.3).
struct JPEGScanHeader {
  struct Component {
    let id: UInt8
    /// The numbers of the Huffman tables in four bits each.
    let tables: UInt8

    var differences: Int { Int(tables >> 4) }
    var coefficients: Int { Int(tables & 15) }
  }

  let components: [Component]
  /// The first and the last coefficient in zigzag order; a wrong header may have them reversed.
  let first: Int
  let last: Int
  /// The lowest bit that earlier scans have, or 0 if there are none.
  let earlierBit: Int
  /// The lowest bit that this scan has.
  let bit: Int

  /// `nil` for a damaged header.
  init?(_ header: Bytes) {
    guard let count = header[0].map({ Int($0) }), (1...4).contains(count), header.count == 4 + count * 2,
      let first = header[1 + count * 2], let last = header[2 + count * 2], let bits = header[3 + count * 2], last < 64
    else { return nil }
    var components: [Component] = []
    for offset in stride(from: 1, to: 1 + count * 2, by: 2) {
      guard let id = header[offset], let tables = header[offset + 1], tables >> 4 < 4, tables & 15 < 4 else {
        return nil
      }
      components.append(Component(id: id, tables: tables))
    }
    self.components = components
    self.first = Int(first)
    self.last = Int(last)
    earlierBit = Int(bits >> 4)
    bit = Int(bits & 15)
  }

  /// Whether it is the header of a baseline scan.
  var isSequential: Bool { first == 0 && last == 63 && earlierBit == 0 && bit == 0 }

  /// Whether it is a header of a progressive scan that libjpeg accepts.
  var isProgressive: Bool {
    let isRange = first == 0 ? last == 0 : first <= last && components.count == 1
    return isRange && bit <= 13 && (earlierBit == 0 || earlierBit == bit + 1)
  }
}
#endif
