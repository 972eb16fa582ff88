#if !IMAGEIO
import HalcyonImaging

/// The frame of a JPEG file that can be decoded at a reduced scale.
struct ReducedFrame {
  struct Component {
    let id: UInt8
    /// The sampling factors.
    let across: Int
    let down: Int
    let table: Int
    /// The samples of a block across and down: 1, 2, 4 or 8.
    let side: Int
    /// The blocks of the image, without those that only complete an MCU.
    let blocks: (across: Int, down: Int)
    /// The size in samples, without those that only complete a block.
    let size: PixelSize

    /// The coefficients up to this one, in zigzag order, are needed.
    var lastCoefficient: Int { ReducedTransform.lastCoefficient(side: side) }
  }

  static let baseline: ClosedRange<UInt8> = 0xC0...0xC1
  static let progressive: UInt8 = 0xC2
  /// libjpeg rejects longer sides.
  private static let sideLimit = 65_500
  /// The most blocks of an MCU (ITU-T T.81, B.2.3).
  private static let blockLimit = 10

  let isProgressive: Bool
  let size: PixelSize
  let components: [Component]
  /// The number of MCUs if a scan has all components.
  let units: (across: Int, down: Int)

  /// `nil` for other kinds of frames, unusual sampling, and damage; of progressive files at full scale.
  init?(_ segment: JPEGSegments.Segment, scale: JPEGScale) {
    guard Self.baseline.contains(segment.marker) || segment.marker == Self.progressive,
      let entries = Self.entries(segment.header), let height = segment.header.unsigned16(at: 1),
      let width = segment.header.unsigned16(at: 3), (1...Self.sideLimit).contains(width),
      (1...Self.sideLimit).contains(height),
      let across = entries.map(\.across).max(), let down = entries.map(\.down).max()
    else { return nil }
    isProgressive = segment.marker == Self.progressive
    size = PixelSize(width: width, height: height)
    units = (Self.quotient(width, across * 8), Self.quotient(height, down * 8))
    components = entries.map { entry in
      var side = Int(scale.rawValue)
      // As in the C shim: a component with less than half the samples of the largest is decoded at a larger scale.
      let (least, lowest) = (across * side, down * side)
      while entry.across * side * 2 < least || entry.down * side * 2 < lowest { side *= 2 }
      func part(_ samples: Int) -> PixelSize {
        PixelSize(
          width: Self.quotient(width * entry.across * samples, across * 8),
          height: Self.quotient(height * entry.down * samples, down * 8))
      }
      return Component(
        id: entry.id, across: entry.across, down: entry.down, table: entry.table, side: side,
        blocks: (part(1).width, part(1).height), size: part(side))
    }
    guard components.allSatisfy({ $0.side <= 8 }), scale != .full || !isProgressive else { return nil }
  }

  private static func quotient(_ number: Int, _ divisor: Int) -> Int { (number + divisor - 1) / divisor }

  /// The identifiers, sampling factors and quantisation tables.
  private static func entries(_ header: Bytes) -> [(id: UInt8, across: Int, down: Int, table: Int)]? {
    guard header[0] == 8, let count = header[5], count == 1 || count == 3, header.count == 6 + Int(count) * 3 else {
      return nil
    }
    var entries: [(id: UInt8, across: Int, down: Int, table: Int)] = []
    for offset in stride(from: 6, to: header.count, by: 3) {
      guard let id = header[offset], let sampling = header[offset + 1], let table = header[offset + 2], table < 4,
        [1, 2, 4].contains(sampling >> 4), [1, 2, 4].contains(sampling & 15), !entries.contains(where: { $0.id == id })
      else { return nil }
      // The factors of a single component have no effect.
      let factors = count == 1 ? (1, 1) : (Int(sampling >> 4), Int(sampling & 15))
      entries.append((id, factors.0, factors.1, Int(table)))
    }
    return entries.reduce(0) { $0 + $1.across * $1.down } <= blockLimit ? entries : nil
  }
}
#endif
