#if !IMAGEIO
import HalcyonImaging

/// Decodes one scan of a progressive file (ITU-T T.81, annex G) into the coefficients that are needed.
struct ProgressiveScanReader {
  private let scan: ProgressiveScans.Scan
  private let frame: ReducedFrame
  /// The planes of the components of the scan.
  private let planes: [ProgressiveCoefficients.Plane]
  private let bytes: JPEGScanBytes
  private var bits: JPEGBits
  private var restartCount = 0
  /// The blocks left in the current run of empty blocks (EOBRUN).
  private var endRun = 0
  private var predictions = SIMD4<Int32>(repeating: 0)

  /// - Parameter planes: Of all components of the frame.
  init(
    _ scan: ProgressiveScans.Scan, frame: ReducedFrame, planes: [ProgressiveCoefficients.Plane], bytes: JPEGScanBytes
  ) {
    self.scan = scan
    self.frame = frame
    self.planes = scan.components.map { planes[$0] }
    self.bytes = bytes
    bits = bytes.start(at: scan.start)
  }

  /// Returns `false` if the data is damaged or unusual.
  mutating func read(isCancelled: () -> Bool) throws(ImageDecodingError) -> Bool {
    let isFirst = scan.header.earlierBit == 0
    if scan.header.first == 0 { return try isFirst ? readDifferences(isCancelled) : refineMeans(isCancelled) }
    guard let code = scan.tables.coefficients[scan.header.components[0].coefficients] else { return false }
    let lookup = JPEGLookup(coefficients: code, hasValues: true, hasSkips: false)
    return try isFirst ? readCoefficients(lookup, isCancelled) : refineCoefficients(lookup, isCancelled)
  }

  /// Calls `body` for each block in the order of the scan, with the component's index in the scan and the block's index.
  @inline(__always)
  private mutating func forEachBlock(
    _ isCancelled: () -> Bool, _ body: (inout Self, Int, Int) -> Bool
  ) throws(ImageDecodingError) -> Bool {
    let isInterleaved = planes.count > 1
    let units = isInterleaved ? frame.units : frame.components[scan.components[0]].blocks
    let interval = scan.tables.restartInterval
    var left = interval
    for row in 0..<units.down {
      if isCancelled() { throw .cancelled }
      for column in 0..<units.across {
        if interval > 0 {
          if left == 0 {
            guard restart() else { return false }
            left = interval
          }
          left -= 1
        }
        if bits.next >= bytes.limit {
          guard bytes.advance(&bits) else { return false }
        }
        guard isInterleaved else {
          guard body(&self, 0, row &* planes[0].blocksAcross &+ column) else { return false }
          continue
        }
        for index in planes.indices {
          let plane = planes[index]
          for line in row &* plane.down..<(row &+ 1) &* plane.down {
            for block in column &* plane.across..<(column &+ 1) &* plane.across {
              guard body(&self, index, line &* plane.blocksAcross &+ block) else { return false }
            }
          }
        }
      }
    }
    return endRun == 0 && bytes.markerOffset(after: bits) != nil
  }

  private mutating func restart() -> Bool {
    guard endRun == 0, let next = bytes.restart(after: bits, number: restartCount) else { return false }
    bits = next
    restartCount += 1
    predictions = SIMD4(repeating: 0)
    return true
  }

  private mutating func readDifferences(_ isCancelled: () -> Bool) throws(ImageDecodingError) -> Bool {
    var lookups: [JPEGLookup] = []
    for component in scan.header.components {
      guard let code = scan.tables.differences[component.differences] else { return false }
      lookups.append(JPEGLookup(differences: code))
    }
    let shift = Int32(scan.header.bit)
    var excess: Int32 = 0
    let isDone = try forEachBlock(isCancelled) { scan, index, block in
      scan.bits.load()
      guard let entry = lookups[index].difference(&scan.bits) else { return false }
      scan.predictions[index] &+= Int32(bitPattern: entry) &>> 16
      let value = scan.predictions[index] &<< shift
      // Not 0 if the value does not fit into 16 bits.
      excess |= (value &+ 1 &<< 15) &>> 16
      let plane = scan.planes[index]
      plane.values[block &* plane.count] = Int16(truncatingIfNeeded: value)
      return true
    }
    return isDone && excess == 0
  }

  private mutating func refineMeans(_ isCancelled: () -> Bool) throws(ImageDecodingError) -> Bool {
    let bit = Int16(1) << scan.header.bit
    return try forEachBlock(isCancelled) { scan, index, block in
      scan.bits.load()
      let plane = scan.planes[index]
      if scan.bits.read(1) == 1 { plane.values[block &* plane.count] |= bit }
      return true
    }
  }

  private mutating func readCoefficients(
    _ lookup: JPEGLookup, _ isCancelled: () -> Bool
  ) throws(ImageDecodingError) -> Bool {
    let (plane, places, shift) = (planes[0], ReducedTransform.places(side: planes[0].side), Int32(scan.header.bit))
    let (first, last) = (scan.header.first, scan.header.last)
    return try forEachBlock(isCancelled) { scan, _, block in
      if scan.endRun > 0 {
        scan.endRun &-= 1
        return true
      }
      let values = plane.values + block &* plane.count
      var (next, found) = (first, UInt64(0))
      while next <= last {
        scan.bits.load()
        guard let entry = lookup.coefficient(&scan.bits, endRun: &scan.endRun) else { return false }
        next &+= Int(entry &>> 6) & 1023
        if next >= JPEGLookup.end { break }
        guard next <= last &+ 1 else { return false }
        let value = Int32(bitPattern: entry) &>> 16
        guard value != 0 else { continue }
        found |= 1 &<< UInt64(next &- 1)
        let place = places[next &- 1]
        if place < plane.count { values[place] = Int16(truncatingIfNeeded: value &<< shift) }
      }
      plane.nonzero?[block] |= found
      return true
    }
  }

  private mutating func refineCoefficients(
    _ lookup: JPEGLookup, _ isCancelled: () -> Bool
  ) throws(ImageDecodingError) -> Bool {
    let plane = planes[0]
    guard let nonzero = plane.nonzero else { return false }
    let refinement = ProgressiveRefinement(scan.header, side: plane.side)
    return try forEachBlock(isCancelled) { scan, _, block in
      refinement.read(
        &scan.bits, lookup, nonzero: &nonzero[block], values: plane.values + block &* plane.count, endRun: &scan.endRun)
    }
  }
}
#endif
