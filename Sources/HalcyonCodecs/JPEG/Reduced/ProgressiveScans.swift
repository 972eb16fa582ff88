#if !IMAGEIO
import HalcyonImaging

/// The scans of a progressive file that a reduced scale needs.
struct ProgressiveScans {
  /// A scan that is decoded.
  struct Scan {
    let header: JPEGScanHeader
    /// The indices of its components in the frame.
    let components: [Int]
    let tables: JPEGTables
    /// The position of its entropy-coded bytes.
    let start: Int
  }

  /// As for libjpeg: each scan is a pass over the image.
  private static let scanLimit = 100
  /// Up to this quantisation step, which libjpeg's quality 82 has at low frequencies, the last bits of AC coefficients do
  /// not matter at 1/2: the structural similarity (SSIM) falls by about 0.001.
  private static let smallStepLimit = 5
  /// The lowest frequencies, which remain at 1/2, in zigzag order.
  private static let lowFrequencies = 1...5

  let frame: ReducedFrame
  private let scale: JPEGScale
  private(set) var scans: [Scan] = []
  /// For each component, the quantisation steps of its first scan.
  private(set) var steps: [[Int32]?]
  /// The lowest bit read so far, for each coefficient of each component.
  private var bits: [[Int?]]
  private var count = 0

  init(_ frame: ReducedFrame, scale: JPEGScale) {
    self.frame = frame
    self.scale = scale
    steps = Array(repeating: nil, count: frame.components.count)
    bits = Array(repeating: Array(repeating: nil, count: 64), count: frame.components.count)
  }

  /// Adds a scan. Returns `false` if it is not valid after those before it.
  mutating func add(_ segment: JPEGSegments.Segment, tables: JPEGTables) -> Bool {
    count += 1
    guard count <= Self.scanLimit, let header = JPEGScanHeader(segment.header), header.isProgressive
    else { return false }
    var components: [Int] = []
    for component in header.components {
      guard let index = frame.components.firstIndex(where: { $0.id == component.id }), components.last ?? -1 < index,
        follows(header, component: index)
      else { return false }
      if steps[index] == nil { steps[index] = tables.steps[frame.components[index].table] }
      guard steps[index] != nil else { return false }
      components.append(index)
    }
    let isLastBit = header.first > 0 && header.earlierBit == 1
    if !isLastBit || !hidesLastBits(component: components[0]) {
      scans.append(Scan(header: header, components: components, tables: tables, start: segment.range.upperBound))
    }
    return true
  }

  /// Whether the last bits of the AC coefficients of a component, which can be a third of the file, do not matter.
  ///
  /// They change a coefficient by half a quantisation step. At 1/4, averaging sixty-four or more pixels hides that; at 1/2,
  /// which averages sixteen or more, only if the steps are small.
  private func hidesLastBits(component: Int) -> Bool {
    switch scale {
    case .quarter: true
    case .half: steps[component].map { $0[Self.lowFrequencies].allSatisfy { $0 <= Self.smallStepLimit } } ?? false
    case .eighth, .full: false
    }
  }

  /// Whether a scan has the next bits of its coefficients.
  private mutating func follows(_ header: JPEGScanHeader, component: Int) -> Bool {
    if header.first > 0, bits[component][0] == nil { return false }
    for coefficient in header.first...header.last {
      guard bits[component][coefficient] ?? 0 == header.earlierBit,
        (bits[component][coefficient] == nil) == (header.earlierBit == 0)
      else { return false }
      bits[component][coefficient] = header.bit
    }
    return true
  }

  /// Drops the scans without needed coefficients, except for those that a later scan refines together with needed ones.
  ///
  /// - Returns: `false` if a component has no DC coefficients.
  mutating func select() -> Bool {
    var last = frame.components.map(\.lastCoefficient)
    var needed: [Scan] = []
    for scan in scans.reversed() where scan.header.first == 0 || scan.header.first <= last[scan.components[0]] {
      needed.append(scan)
      if scan.header.earlierBit > 0, scan.header.first > 0 {
        last[scan.components[0]] = max(last[scan.components[0]], scan.header.last)
      }
    }
    scans = needed.reversed()
    return bits.allSatisfy { $0[0] != nil }
  }

  /// Whether a component has scans that refine AC coefficients.
  func isRefined(component: Int) -> Bool {
    scans.contains { $0.header.earlierBit > 0 && $0.header.first > 0 && $0.components[0] == component }
  }
}
#endif
