#if !IMAGEIO
import HalcyonImaging

/// Decodes one scan of a progressive file (ITU-T T.81, annex G) into the coefficients that are needed.
struct ProgressiveScanReader {
  private let scan: ProgressiveScans.Scan
  private let frame: ReducedFrame
  /// The coefficients of the components of the scan.
  private let planes: [Plane]
  private let nonzero: UnsafeMutablePointer<UInt64>?
  private let places: [Int]
  private let bytes: JPEGScanBytes
  private var bits: JPEGBits
  private var restartCount = 0
  /// The blocks that the last run of ends of blocks still has.
  private var endRun = 0
  private var predictions = SIMD4<Int32>(repeating: 0)

  /// ``ProgressiveCoefficients`` without counting references in loops; they outlive the reader.
  private struct Plane {
    let across: Int
    let down: Int
    let blocksAcross: Int
    let count: Int
    let values: UnsafeMutablePointer<Int16>
  }

  init(
    _ scan: ProgressiveScans.Scan, frame: ReducedFrame, coefficients: [ProgressiveCoefficients], bytes: JPEGScanBytes
  ) {
    self.scan = scan
    self.frame = frame
    planes = scan.components.map { index in
      let plane = coefficients[index]
      return Plane(
        across: plane.component.across, down: plane.component.down, blocksAcross: plane.blocksAcross,
        count: plane.count,
        values: plane.values)
    }
    nonzero = coefficients[scan.components[0]].nonzero
    places = ReducedTransform.places(side: frame.components[scan.components[0]].side)
    self.bytes = bytes
    bits = bytes.start(at: scan.start)
  }

  /// Returns `false` if the data is damaged or unusual.
  mutating func read(isCancelled: () -> Bool) throws(ImageDecodingError) -> Bool {
    let isFirst = scan.header.earlierBit == 0
    if scan.header.first == 0 {
      return try isFirst ? readDifferences(isCancelled) : refineMeans(isCancelled)
    }
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
    let values = lookups.map(\.values)
    defer { extendLifetime(lookups) }
    let shift = Int32(scan.header.bit)
    var excess: Int32 = 0
    let isDone = try forEachBlock(isCancelled) { scan, index, block in
      scan.bits.load()
      var entry = values[index][scan.bits.index]
      if entry == JPEGLookup.longEntry {
        guard let long = lookups[index].longDifference(&scan.bits) else { return false }
        entry = long
      } else {
        scan.bits.skip(UInt64(entry))
      }
      scan.predictions[index] &+= Int32(bitPattern: entry) &>> 16
      let value = scan.predictions[index] &<< shift
      excess |= (value &+ 1 &<< 14) &>> 15
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
    let (plane, nonzero, places) = (planes[0], nonzero, places)
    let (first, last, shift) = (scan.header.first, scan.header.last, Int32(scan.header.bit))
    let entries = lookup.values
    defer { extendLifetime(lookup) }
    return try forEachBlock(isCancelled) { scan, _, block in
      if scan.endRun > 0 {
        scan.endRun &-= 1
        return true
      }
      let values = plane.values + block &* plane.count
      var (next, found) = (first, UInt64(0))
      while next <= last {
        scan.bits.load()
        var entry = entries[scan.bits.index]
        if entry == JPEGLookup.longEntry {
          guard let long = lookup.longCoefficient(&scan.bits, endRun: &scan.endRun) else { return false }
          entry = long
        } else {
          scan.bits.skip(UInt64(entry))
        }
        next &+= Int(entry &>> 6) & 1023
        if next >= JPEGLookup.end { break }
        guard next <= last &+ 1 else { return false }
        let value = Int32(bitPattern: entry) &>> 16
        guard value != 0 else { continue }
        found |= 1 &<< UInt64(next &- 1)
        let place = places[next &- 1]
        if place < plane.count { values[place] = Int16(truncatingIfNeeded: value &<< shift) }
      }
      nonzero?[block] |= found
      return true
    }
  }

  private mutating func refineCoefficients(
    _ lookup: JPEGLookup, _ isCancelled: () -> Bool
  ) throws(ImageDecodingError) -> Bool {
    guard let nonzero else { return false }
    let plane = planes[0]
    let refinement = Refinement(scan.header, places: places, count: plane.count)
    return try forEachBlock(isCancelled) { scan, _, block in
      refinement.read(
        &scan.bits, lookup, nonzero: &nonzero[block], values: plane.values + block &* plane.count, endRun: &scan.endRun)
    }
  }
}

/// Reads one more bit of the AC coefficients of a block (ITU-T T.81, G.1.2.3).
private struct Refinement {
  private let first: Int
  private let last: Int
  private let bit: Int16
  private let places: [Int]
  private let count: Int

  init(_ header: JPEGScanHeader, places: [Int], count: Int) {
    (first, last, bit) = (header.first, header.last, 1 << Int16(header.bit))
    self.places = places
    self.count = count
  }

  @inline(__always)
  func read(
    _ bits: inout JPEGBits, _ lookup: JPEGLookup, nonzero: inout UInt64, values: UnsafeMutablePointer<Int16>,
    endRun: inout Int
  ) -> Bool {
    var next = first
    let earlier = nonzero
    if endRun == 0 {
      while next <= last {
        bits.load()
        var entry = lookup.values[bits.index]
        if entry == JPEGLookup.longEntry {
          guard let long = lookup.longCoefficient(&bits, endRun: &endRun) else { return false }
          entry = long
        } else {
          bits.skip(UInt64(entry))
        }
        let advance = Int(entry &>> 6) & 1023
        if advance >= JPEGLookup.end {
          // This block is one of the run.
          endRun &+= 1
          break
        }
        let value = Int32(bitPattern: entry) &>> 16
        guard (-1...1).contains(value) else { return false }
        // The zeros that are not coded before the new coefficient, or sixteen; the others are refined on the way.
        var zeros = advance &- 1
        while true {
          guard next <= last else { return false }
          if earlier & 1 &<< UInt64(next) != 0 {
            bits.load()
            refine(next, bits.read(1), values)
          } else {
            zeros &-= 1
            if zeros < 0 { break }
          }
          next &+= 1
        }
        if value != 0 {
          nonzero |= 1 &<< UInt64(next)
          let place = places[next]
          if place < count { values[place] = value > 0 ? bit : -bit }
        }
        next &+= 1
      }
    }
    guard endRun > 0 else { return true }
    endRun -= 1
    refineRest(&bits, earlier & ~0 &<< UInt64(next) & ~0 &>> UInt64(63 &- last), isEmpty: next > last, values)
    return true
  }

  /// Refines all coefficients from the next one on.
  @inline(__always)
  private func refineRest(
    _ bits: inout JPEGBits, _ nonzero: UInt64, isEmpty: Bool, _ values: UnsafeMutablePointer<Int16>
  ) {
    guard !isEmpty else { return }
    var rest = nonzero
    while rest != 0 {
      bits.load()
      refine(rest.trailingZeroBitCount, bits.read(1), values)
      rest &= rest &- 1
    }
  }

  @inline(__always)
  private func refine(_ coefficient: Int, _ isLarger: Int, _ values: UnsafeMutablePointer<Int16>) {
    let place = places[coefficient]
    guard isLarger == 1, place < count, values[place] & bit == 0 else { return }
    values[place] &+= values[place] >= 0 ? bit : -bit
  }
}

extension JPEGLookup {
  /// Reads a DC difference that no entry has, as an entry without bits.
  @inline(never)
  fileprivate func longDifference(_ bits: inout JPEGBits) -> UInt32? {
    word(&bits).map { word in
      UInt32(truncatingIfNeeded: Self.value(bits.read(word.size), size: word.size)) << 16
    }
  }

  /// Reads an AC coefficient, or a run of ends of blocks without the first, that no entry has.
  @inline(never)
  fileprivate func longCoefficient(_ bits: inout JPEGBits, endRun: inout Int) -> UInt32? {
    guard let word = word(&bits) else { return nil }
    if word.size == 0, word.run < 15 {
      endRun = 1 << word.run + bits.read(word.run) - 1
      return UInt32(Self.end << 6)
    }
    guard word.isCoefficient else { return nil }
    let value = Self.value(bits.read(word.size), size: word.size)
    return UInt32(truncatingIfNeeded: value) << 16 | UInt32((word.run + 1) << 6)
  }

  /// Reads a code word without the bits after it.
  private func word(_ bits: inout JPEGBits) -> JPEGHuffmanCode.Word? {
    guard let word = code.word(bits.peek(JPEGHuffmanCode.lengthLimit)) else { return nil }
    bits.skip(UInt64(word.length))
    return word
  }
}
#endif
