#if !IMAGEIO
/// Decodes the only scan of a baseline file at a reduced scale.
final class BaselineScan: ReducedRows {
  private let frame: ReducedFrame
  private let restartInterval: Int
  private let bytes: JPEGScanBytes
  private var bits: JPEGBits
  /// The blocks of an MCU.
  private var blocks: [Block] = []
  private let work: ReducedWork
  /// For each component, the tables of DC differences and of AC coefficients.
  private var lookups: [(differences: JPEGLookup, coefficients: JPEGLookup)] = []
  private var unitsBeforeRestart: Int
  private var restartCount = 0
  private var rowCount = 0
  private var endOfImage: Int?

  /// A block of an MCU while it is decoded.
  private struct Block {
    let component: Int
    let side: Int
    let lastCoefficient: Int
    /// The tables of ``JPEGLookup`` for the component.
    let differences: UnsafePointer<UInt32>
    let values: UnsafePointer<UInt32>
    let skips: UnsafePointer<UInt16>
    /// The quantisation step and the place of each coefficient.
    let steps: UnsafePointer<ReducedWork.Step>
    /// The position in the MCU.
    let column: Int
    let row: Int
    /// The distance to the block in the next MCU, in samples.
    let advance: Int
    var target: UnsafeMutablePointer<UInt8>
    var stride = 0
  }

  /// `nil` if the scan does not have all components, a table is missing, or anything is unusual.
  init?(_ scan: JPEGSegments.Segment, frame: ReducedFrame, tables: JPEGTables, file: UnsafeRawBufferPointer) {
    self.frame = frame
    restartInterval = tables.restartInterval
    unitsBeforeRestart = restartInterval > 0 ? restartInterval : .max
    bytes = JPEGScanBytes(file)
    bits = bytes.start(at: scan.range.upperBound)
    work = ReducedWork(frame)
    guard addBlocks(scan.header, tables) else { return nil }
  }

  func readRow(into targets: [ReducedTarget]) -> Bool {
    for index in blocks.indices {
      let (block, target) = (blocks[index], targets[blocks[index].component])
      blocks[index].target = target.start + block.row * block.side * target.stride + block.column * block.side
      blocks[index].stride = target.stride
    }
    var left = frame.units.across
    while left > 0 {
      if unitsBeforeRestart == 0 {
        guard restart() else { return false }
      }
      let count = min(left, unitsBeforeRestart)
      guard readUnits(count) else { return false }
      left -= count
      if restartInterval > 0 { unitsBeforeRestart -= count }
    }
    rowCount += 1
    return rowCount < frame.units.down || isComplete
  }

  /// Whether the end of the image or of the file follows the last MCU.
  private var isComplete: Bool {
    guard let offset = bytes.markerOffset(after: bits) else { return false }
    return bytes.marker(at: offset) ?? JPEGSegments.endOfImage == JPEGSegments.endOfImage
  }

  private func restart() -> Bool {
    guard let next = bytes.restart(after: bits, number: restartCount) else { return false }
    bits = next
    restartCount += 1
    unitsBeforeRestart = restartInterval
    work.resetPredictions()
    return true
  }

  private func addBlocks(_ header: Bytes, _ tables: JPEGTables) -> Bool {
    guard let scan = JPEGScanHeader(header), scan.components.map(\.id) == frame.components.map(\.id), scan.isSequential
    else { return false }
    for (index, component) in frame.components.enumerated() {
      guard let differences = tables.differences[scan.components[index].differences],
        let coefficients = tables.coefficients[scan.components[index].coefficients],
        let steps = tables.steps[component.table]
      else { return false }
      work.setSteps(steps, component: index, side: component.side)
      // Both chroma components mostly have the same tables.
      let same = (0..<index).first { earlier in
        scan.components[earlier].hasTables(of: scan.components[index])
          && (frame.components[earlier].side == 1) == (component.side == 1)
      }
      lookups.append(
        same.map { lookups[$0] } ?? (
          JPEGLookup(differences: differences, coefficients: coefficients, skipsCoefficients: component.side == 1),
          JPEGLookup(coefficients: coefficients, hasValues: component.side > 1)
        ))
      for row in 0..<component.down {
        for column in 0..<component.across { addBlock(index, column: column, row: row) }
      }
    }
    return true
  }

  private func addBlock(_ index: Int, column: Int, row: Int) {
    let (component, lookup) = (frame.components[index], lookups[index])
    blocks.append(
      Block(
        component: index, side: component.side, lastCoefficient: component.lastCoefficient,
        differences: lookup.differences.values, values: lookup.coefficients.values, skips: lookup.coefficients.skips,
        steps: work.steps(component: index), column: column, row: row, advance: component.side * component.across,
        target: work.placeholder))
  }
}

// The loops, in which everything is a local value: the state of an object would be checked for exclusive access.
extension BaselineScan {
  private func readUnits(_ count: Int) -> Bool {
    blocks.withUnsafeMutableBufferPointer { blocks in
      var (bits, limit, excess) = (bits, bytes.limit, Int32(0))
      defer { self.bits = bits }
      for _ in 0..<count {
        if bits.next >= limit {
          guard bytes.advance(&bits) else { return false }
          limit = bytes.limit
        }
        for index in 0..<blocks.count {
          guard read(&blocks[index], &bits, predictions: work.predictions, coefficients: work.coefficients, &excess)
          else {
            return false
          }
        }
      }
      return excess == 0
    }
  }

  @inline(__always)
  private func read(
    _ block: inout Block, _ bits: inout JPEGBits, predictions: UnsafeMutablePointer<Int32>,
    coefficients: UnsafeMutablePointer<Int32>, _ excess: inout Int32
  ) -> Bool {
    bits.load()
    var entry = block.differences[bits.index]
    if entry == JPEGLookup.longEntry {
      guard let long = readLongDifference(&bits, component: block.component) else { return false }
      entry = long
    } else {
      bits.skip(UInt64(entry))
    }
    predictions[block.component] &+= Int32(bitPattern: entry) &>> 16
    let mean = predictions[block.component] &* block.steps[0].step
    excess |= ReducedTransform.excess(mean)
    var next = Int(entry &>> 6) & 1023
    let target = block.target
    block.target += block.advance
    if block.side == 1 {
      target[0] = ReducedTransform.sample(mean)
    } else if next >= 64 {
      ReducedTransform.flat(mean, side: block.side, into: target, stride: block.stride)
    } else {
      coefficients.update(repeating: 0, count: block.side == 2 ? 4 : 16)
      coefficients[0] = mean
      guard readCoefficients(block, &bits, &next, into: coefficients, &excess) else { return false }
      if block.side == 2 {
        ReducedTransform.two(coefficients, into: target, stride: block.stride)
      } else {
        ReducedTransform.four(coefficients, into: target, stride: block.stride)
      }
    }
    return next >= 64 || skipCoefficients(block, &bits, from: next)
  }

  /// Reads the coefficients that are needed.
  @inline(__always)
  private func readCoefficients(
    _ block: Block, _ bits: inout JPEGBits, _ next: inout Int, into coefficients: UnsafeMutablePointer<Int32>,
    _ excess: inout Int32
  ) -> Bool {
    let (values, steps, last) = (block.values, block.steps, block.lastCoefficient)
    while next <= last {
      bits.load()
      // Four entries have at most 48 bits.
      for _ in 0..<4 {
        var entry = values[bits.index]
        if entry == JPEGLookup.longEntry {
          bits.load()
          guard let long = readLongCoefficient(&bits, component: block.component) else { return false }
          entry = long
          bits.load()
        } else {
          bits.skip(UInt64(entry))
        }
        next &+= Int(entry &>> 6) & 1023
        if next >= JPEGLookup.end { return true }
        let step = steps[next &- 1]
        let value = (Int32(bitPattern: entry) &>> 16) &* step.step
        excess |= ReducedTransform.excess(value)
        coefficients[step.place] = value
        if next > last { return true }
      }
    }
    return true
  }

  /// Skips coefficients up to the end of the block.
  @inline(__always)
  private func skipCoefficients(_ block: Block, _ bits: inout JPEGBits, from first: Int) -> Bool {
    var next = first
    let skips = block.skips
    while true {
      bits.load()
      // Three entries have at most 54 bits.
      var entry = skips[bits.index]
      bits.skip(UInt64(entry))
      next &+= Int(entry &>> 6)
      if next < 64 {
        entry = skips[bits.index]
        bits.skip(UInt64(entry))
        next &+= Int(entry &>> 6)
        if next < 64 {
          entry = skips[bits.index]
          bits.skip(UInt64(entry))
          next &+= Int(entry &>> 6)
          if next < 64 { continue }
        }
      }
      // The block ends by its symbol, or with its last coefficient.
      if next & (JPEGLookup.end - 1) < 64 || next == 64 { return true }
      guard skipCoefficient(&bits, &next, insteadOf: entry, component: block.component) else { return false }
      if next >= 64 { return true }
    }
  }

  /// Skips one coefficient instead of those of an entry, which is long or goes beyond the end of the block.
  @inline(never)
  private func skipCoefficient(_ bits: inout JPEGBits, _ next: inout Int, insteadOf entry: UInt16, component: Int)
    -> Bool
  {
    bits.unread(Int(entry & 63))
    next -= Int(entry >> 6)
    bits.load()
    guard let long = readLongCoefficient(&bits, component: component) else { return false }
    let advance = Int(long >> 6) & 1023
    next += advance
    return next <= 64 || advance == JPEGLookup.end
  }

  /// An entry without bits for a difference that no table has.
  @inline(never)
  private func readLongDifference(_ bits: inout JPEGBits, component: Int) -> UInt32? {
    guard let word = lookups[component].differences.code.word(bits.peek(JPEGHuffmanCode.lengthLimit)) else {
      return nil
    }
    bits.skip(UInt64(word.length))
    return UInt32(truncatingIfNeeded: JPEGLookup.value(bits.read(word.size), size: word.size)) << 16 | 1 << 6
  }

  /// An entry without bits for a coefficient or the end of the block.
  @inline(never)
  private func readLongCoefficient(_ bits: inout JPEGBits, component: Int) -> UInt32? {
    guard let word = lookups[component].coefficients.code.word(bits.peek(JPEGHuffmanCode.lengthLimit)) else {
      return nil
    }
    bits.skip(UInt64(word.length))
    if word.isEndOfBlock { return UInt32(JPEGLookup.end << 6) }
    guard word.isCoefficient else { return nil }
    let value = JPEGLookup.value(bits.read(word.size), size: word.size)
    return UInt32(truncatingIfNeeded: value) << 16 | UInt32((word.run + 1) << 6)
  }
}
#endif
