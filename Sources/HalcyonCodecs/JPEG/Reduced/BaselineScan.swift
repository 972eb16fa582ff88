#if !IMAGEIO
/// Decodes the only scan of a baseline file at a reduced scale.
final class BaselineScan: ReducedRows {
  private let frame: ReducedFrame
  private let restartInterval: Int
  private let bytes: JPEGScanBytes
  private var bits: JPEGBits
  private var components: [Component] = []
  /// The last DC coefficient of each component.
  private let predictions: UnsafeMutablePointer<Int32>
  /// For each component, its coefficients in zigzag order.
  private let steps: UnsafeMutablePointer<Step>
  /// The needed coefficients of a block, in columns, and a place for the others.
  private let coefficients: UnsafeMutablePointer<Int32>
  private var unitsBeforeRestart: Int
  private var restartCount = 0
  private var rowCount = 0

  private struct Component {
    let differences: JPEGLookup
    let coefficients: JPEGLookup
  }

  /// The quantisation step of a coefficient, and its place among the needed ones; all others share the place after
  /// them.
  private struct Step {
    let step: Int32
    let place: Int
  }

  /// A block of an MCU while a row of MCUs is decoded.
  private struct Block {
    let component: Int
    let side: Int
    let lastCoefficient: Int
    /// The tables of ``JPEGLookup`` for the component.
    let differences: UnsafePointer<UInt32>
    let values: UnsafePointer<UInt32>
    let skips: UnsafePointer<UInt16>
    let steps: UnsafePointer<Step>
    var target: UnsafeMutablePointer<UInt8>
    let stride: Int
    /// The distance to the block in the next MCU, in samples.
    let advance: Int
  }

  /// `nil` if the scan does not have all components, a table is missing, or anything is unusual.
  init?(_ scan: JPEGSegments.Segment, frame: ReducedFrame, tables: JPEGTables, file: UnsafeRawBufferPointer) {
    guard let header = JPEGScanHeader(scan.header), header.isSequential,
      header.components.map(\.id) == frame.components.map(\.id)
    else { return nil }
    self.frame = frame
    restartInterval = tables.restartInterval
    unitsBeforeRestart = restartInterval > 0 ? restartInterval : .max
    predictions = .allocate(capacity: frame.components.count)
    predictions.initialize(repeating: 0, count: frame.components.count)
    steps = .allocate(capacity: frame.components.count * 64)
    coefficients = UnsafeMutableRawPointer.allocate(byteCount: 17 * 4, alignment: 16).bindMemory(
      to: Int32.self, capacity: 17)
    coefficients.initialize(repeating: 0, count: 17)
    bytes = JPEGScanBytes(file)
    bits = bytes.start(at: scan.range.upperBound)
    for index in frame.components.indices {
      guard let component = component(index, of: header, tables) else { return nil }
      components.append(component)
    }
  }

  deinit {
    predictions.deallocate()
    steps.deallocate()
    coefficients.deallocate()
  }

  func readRow(into targets: [ReducedTarget]) -> Bool {
    var blocks = blocks(into: targets)
    var left = frame.units.across
    while left > 0 {
      if unitsBeforeRestart == 0 {
        guard restart() else { return false }
      }
      let count = min(left, unitsBeforeRestart)
      guard readUnits(count, &blocks) else { return false }
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
    predictions.update(repeating: 0, count: components.count)
    return true
  }

  private func component(_ index: Int, of header: JPEGScanHeader, _ tables: JPEGTables) -> Component? {
    let (component, ids) = (frame.components[index], header.components[index])
    guard let differences = tables.differences[ids.differences],
      let coefficients = tables.coefficients[ids.coefficients], let steps = tables.steps[component.table]
    else { return nil }
    for (position, place) in ReducedTransform.places(side: component.side).enumerated() {
      (self.steps + index * 64 + position).initialize(to: Step(step: steps[position], place: place))
    }
    // Both chroma components mostly have the same tables.
    let same = components.indices.first {
      header.components[$0].tables == ids.tables && frame.components[$0].side == component.side
    }
    if let same { return components[same] }
    let isSmallest = component.side == 1
    return Component(
      differences: JPEGLookup(differences: differences, coefficients: coefficients, skipsCoefficients: isSmallest),
      coefficients: JPEGLookup(coefficients: coefficients, hasValues: !isSmallest))
  }

  /// The blocks of the first MCU of a row.
  private func blocks(into targets: [ReducedTarget]) -> [Block] {
    frame.components.enumerated().flatMap { index, component in
      let (target, lookups, side) = (targets[index], components[index], component.side)
      return (0..<component.down * component.across).map { position in
        let (row, column) = position.quotientAndRemainder(dividingBy: component.across)
        return Block(
          component: index, side: side, lastCoefficient: component.lastCoefficient,
          differences: lookups.differences.values, values: lookups.coefficients.values,
          skips: lookups.coefficients.skips, steps: self.steps + index * 64,
          target: target.start + row * side * target.stride + column * side, stride: target.stride,
          advance: side * component.across)
      }
    }
  }
}

// The loops, whose state is local: each access to a property of an object would be checked for exclusivity.
extension BaselineScan {
  private func readUnits(_ count: Int, _ blocks: inout [Block]) -> Bool {
    blocks.withUnsafeMutableBufferPointer { blocks in
      var (bits, limit, excess) = (bits, bytes.limit, Int32(0))
      let (predictions, coefficients) = (predictions, coefficients)
      defer { self.bits = bits }
      for _ in 0..<count {
        if bits.next >= limit {
          guard bytes.advance(&bits) else { return false }
          limit = bytes.limit
        }
        for index in 0..<blocks.count {
          guard read(&blocks[index], &bits, predictions, coefficients, &excess) else { return false }
        }
      }
      return excess == 0
    }
  }

  @inline(__always)
  private func read(
    _ block: inout Block, _ bits: inout JPEGBits, _ predictions: UnsafeMutablePointer<Int32>,
    _ coefficients: UnsafeMutablePointer<Int32>, _ excess: inout Int32
  ) -> Bool {
    bits.load()
    var entry = block.differences[bits.index]
    if entry == JPEGLookup.longEntry {
      guard let long = components[block.component].differences.longDifference(&bits) else { return false }
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
      ReducedTransform.samples(coefficients, side: block.side, into: target, stride: block.stride)
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
      var entry: UInt16 = 0
      // Three entries have at most 54 bits.
      for _ in 0..<3 where next < 64 {
        entry = skips[bits.index]
        bits.skip(UInt64(entry))
        next &+= Int(entry &>> 6)
      }
      if next < 64 { continue }
      // A block ends with its end symbol or with its last coefficient.
      if next & (JPEGLookup.end - 1) < 64 || next == 64 { return true }
      guard skipCoefficient(&bits, &next, insteadOf: entry, component: block.component) else { return false }
      if next >= 64 { return true }
    }
  }

  /// Skips one coefficient instead of those of an entry, which is long or goes beyond the end of the block.
  @inline(never)
  private func skipCoefficient(
    _ bits: inout JPEGBits, _ next: inout Int, insteadOf entry: UInt16, component: Int
  ) -> Bool {
    bits.unread(Int(entry & 63))
    next -= Int(entry >> 6)
    bits.load()
    guard let long = readLongCoefficient(&bits, component: component) else { return false }
    next += Int(long >> 6) & 1023
    return next <= 64 || next >= JPEGLookup.end
  }

  /// Reads a coefficient or the end of the block whose entry is long.
  @inline(never)
  private func readLongCoefficient(_ bits: inout JPEGBits, component: Int) -> UInt32? {
    var endRun = 0
    let entry = components[component].coefficients.longCoefficient(&bits, endRun: &endRun)
    // Only progressive files have runs.
    return endRun == 0 ? entry : nil
  }
}
#endif
