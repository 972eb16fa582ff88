#if !IMAGEIO
/// The tables that the segments before a scan define for it.
struct JPEGTables {
  /// The quantisation steps, in zigzag order.
  private(set) var steps: [[Int32]?] = Array(repeating: nil, count: 4)
  private(set) var differences: [JPEGHuffmanCode?] = Array(repeating: nil, count: 4)
  private(set) var coefficients: [JPEGHuffmanCode?] = Array(repeating: nil, count: 4)
  /// The number of MCUs between two restart markers, or 0.
  private(set) var restartInterval = 0

  /// Reads a segment that is neither a frame nor a scan. Returns `false` if it is damaged or unusual.
  mutating func read(_ segment: JPEGSegments.Segment) -> Bool {
    switch segment.marker {
    case 0xC4: readCodes(segment.header)
    case 0xDB: readSteps(segment.header)
    case 0xDD: readRestartInterval(segment.header)
    // Application segments and comments.
    case 0xE0...0xEF, 0xFE: true
    default: false
    }
  }

  private mutating func readRestartInterval(_ segment: Bytes) -> Bool {
    guard segment.count == 2, let interval = segment.unsigned16(at: 0) else { return false }
    restartInterval = interval
    return true
  }

  /// Steps of two bytes, which would have an identifier above 15, are unusual.
  private mutating func readSteps(_ segment: Bytes) -> Bool {
    var offset = 0
    while let id = segment[offset] {
      let steps = segment[offset + 1..<offset + 65].buffer
      guard id < 4, steps.count == 64, !steps.contains(0) else { return false }
      self.steps[Int(id)] = steps.map { Int32($0) }
      offset += 65
    }
    return true
  }

  private mutating func readCodes(_ segment: Bytes) -> Bool {
    var offset = 0
    while let id = segment[offset] {
      let counts = segment[offset + 1..<offset + 17].buffer
      let end = offset + 17 + counts.reduce(0) { $0 + Int($1) }
      guard id & 15 < 4, id >> 4 < 2, counts.count == 16, end <= min(offset + 17 + 256, segment.count),
        let code = JPEGHuffmanCode(counts: counts, symbols: segment[offset + 17..<end].buffer)
      else { return false }
      if id >> 4 == 1 {
        coefficients[Int(id & 15)] = code
      } else {
        guard code.words.allSatisfy({ $0.symbol <= JPEGLookup.largestDifference }) else { return false }
        differences[Int(id)] = code
      }
      offset = end
    }
    return true
  }
}
#endif
