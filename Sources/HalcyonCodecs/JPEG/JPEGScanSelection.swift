/// Drops the scans of a progressive JPEG that do not matter at a small scale.
///
/// At 1/8, libjpeg decodes a component from the DC coefficient of each block alone, and DC coefficients have scans of
/// their own (ITU-T T.81, G.1.1.1.1). The other scans are most of the file; finding their end takes a search for
/// markers, not decoding. At 1/4, the scans with the last bit of the AC coefficients are dropped, often a third of the
/// file: they change a coefficient by half a quantisation step, which averaging sixty-four or more pixels hides. At
/// 1/2, which averages sixteen or more, they are dropped if the steps are small.
struct JPEGScanSelection {
  private static let quantisationTables: UInt8 = 0xDB
  private static let progressiveFrame: UInt8 = 0xC2
  private static let otherFrames: Set<UInt8> = [
    0xC0, 0xC1, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF,
  ]

  /// Up to this step, which libjpeg's quality 82 has, the structural similarity (SSIM) falls by about 0.001.
  private static let smallStepLimit = 5
  /// The lowest frequencies, which remain at 1/2, in zigzag order.
  private static let lowFrequencies = 1...5

  private let scale: JPEGScale
  /// The identifiers of the components that are decoded from DC coefficients alone at 1/8.
  private var smallComponents: Set<UInt8> = []
  /// The identifiers of the quantisation tables with small steps at low frequencies.
  private var fineTables: Set<UInt8> = []
  /// The identifiers of the components that use such a table.
  private var fineComponents: Set<UInt8> = []
  private var isReduced = false
  private var kept: [Range<Int>] = []

  /// The file without the dropped scans, or `nil` if it is not a complete progressive image, or all scans are needed.
  static func essentialBytes(of buffer: UnsafeRawBufferPointer, scale: JPEGScale) -> [UInt8]? {
    guard scale != .full, let segments = JPEGSegments(buffer) else { return nil }
    var selection = JPEGScanSelection(scale: scale)
    guard selection.select(segments) else { return nil }
    var essential: [UInt8] = []
    essential.reserveCapacity(selection.kept.reduce(2) { $0 + $1.count })
    essential.append(contentsOf: buffer.prefix(2))
    for range in selection.kept { essential.append(contentsOf: buffer[range]) }
    return essential
  }

  init(scale: JPEGScale) {
    self.scale = scale
  }

  /// Whether a segment of a progressive image is needed. Must be called for all segments in order.
  mutating func needs(_ segment: JPEGSegments.Segment) -> Bool {
    if segment.marker == Self.quantisationTables { readTables(segment.header) }
    if segment.marker == Self.progressiveFrame { readFrame(segment.header) }
    return segment.marker != JPEGSegments.startOfScan || !isDispensable(segment.header)
  }

  /// Selects among all segments; returns `false` if the file is not a complete progressive image.
  private mutating func select(_ segments: JPEGSegments) -> Bool {
    var segments = segments
    while let segment = segments.next() {
      if Self.otherFrames.contains(segment.marker) { return false }
      guard needs(segment) else {
        isReduced = true
        continue
      }
      kept.append(segment.range)
      if segment.marker == JPEGSegments.endOfImage { return isReduced }
    }
    return false
  }

  /// Reads tables of 64 steps in one or two bytes each.
  private mutating func readTables(_ segment: Bytes) {
    var offset = 0
    while let start = segment[offset] {
      let (id, byteCount) = (start & 15, start >> 4 == 0 ? 1 : 2)
      let steps = Self.lowFrequencies.map { index in
        let position = offset + 1 + index * byteCount
        return byteCount == 1 ? segment[position].map { Int($0) } : segment.unsigned16(at: position)
      }
      if steps.allSatisfy({ $0.map { $0 <= Self.smallStepLimit } ?? false }) {
        fineTables.insert(id)
      } else {
        fineTables.remove(id)
      }
      offset += 1 + 64 * byteCount
    }
  }

  private mutating func readFrame(_ segment: Bytes) {
    guard let count = segment[5] else { return }
    let components = (0..<Int(count)).compactMap { index -> (id: UInt8, across: Int, down: Int, table: UInt8)? in
      guard let id = segment[6 + index * 3], let sampling = segment[7 + index * 3], let table = segment[8 + index * 3]
      else { return nil }
      return (id, Int(sampling >> 4), Int(sampling & 15), table)
    }
    guard let widest = components.map(\.across).max(), let highest = components.map(\.down).max() else { return }
    // As in the C shim: a component with less than half the samples of the largest is decoded at a larger scale.
    let small = components.filter { $0.across * 2 >= widest && $0.down * 2 >= highest }
    smallComponents = Set(small.map(\.id))
    fineComponents = Set(components.filter { fineTables.contains($0.table) }.map(\.id))
  }

  /// Whether a scan has only AC coefficients of a component that is decoded from DC alone, or, at larger scales, only
  /// their last bit.
  private func isDispensable(_ header: Bytes) -> Bool {
    guard header[0] == 1, let component = header[1], let firstCoefficient = header[3], let bits = header[5],
      firstCoefficient > 0
    else { return false }
    let isLastBit = bits == 0x10
    return switch scale {
    case .eighth: smallComponents.contains(component)
    case .quarter: isLastBit
    case .half: isLastBit && fineComponents.contains(component)
    case .full: false
    }
  }
}
