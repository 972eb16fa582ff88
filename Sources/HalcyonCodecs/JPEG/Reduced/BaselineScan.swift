#if !IMAGEIO
/// Decodes the only scan of a baseline file, or a part of it.
final class BaselineScan: ReducedRows {
  /// Of the 64 coefficients of a block and of a zero run beyond its end, which libjpeg takes for the last one.
  private static let stepCount = 80

  private let frame: ReducedFrame
  /// The MCUs of each row that are decoded.
  private let columns: Range<Int>
  private let index: JPEGIndex?
  /// Whether damage of MCUs that are skipped is an error.
  private let checksAll: Bool
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
  /// The next row of MCUs.
  private var row = 0
  /// The number of the MCU that the bits are at.
  private var unit = 0

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
  ///
  /// - Parameters:
  ///   - columns: The MCUs of each row that are decoded.
  ///   - index: Places that are known, and where others are kept.
  ///   - checksAll: Whether damage of MCUs that are skipped is an error.
  init?(
    _ scan: JPEGSegments.Segment, frame: ReducedFrame, tables: JPEGTables, columns: Range<Int>, index: JPEGIndex?,
    checksAll: Bool, file: UnsafeRawBufferPointer
  ) {
    guard let header = JPEGScanHeader(scan.header), header.isSequential,
      header.components.map(\.id) == frame.components.map(\.id)
    else { return nil }
    (self.frame, self.columns, self.index, self.checksAll) = (frame, columns, index, checksAll)
    restartInterval = tables.restartInterval
    unitsBeforeRestart = restartInterval > 0 ? restartInterval : .max
    predictions = .allocate(capacity: frame.components.count)
    predictions.initialize(repeating: 0, count: frame.components.count)
    steps = .allocate(capacity: frame.components.count * Self.stepCount)
    coefficients = UnsafeMutableRawPointer.allocate(byteCount: 65 * 4, alignment: 32).bindMemory(
      to: Int32.self, capacity: 65)
    coefficients.initialize(repeating: 0, count: 65)
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
    guard skip(to: row * frame.units.across + columns.lowerBound) else { return false }
    var blocks = blocks(into: targets)
    guard read(columns.count, { readUnits($0, &blocks) }) else { return false }
    row += 1
    return unit < frame.units.across * frame.units.down || isComplete
  }

  /// Skips rows of MCUs. To the end of the file, they are read for damage.
  func skipRows(_ count: Int, into targets: [ReducedTarget]) -> Bool {
    row += count
    return row < frame.units.down || skip(to: row * frame.units.across) && isComplete
  }

  /// Goes to an MCU, from the nearest known place before it.
  private func skip(to target: Int) -> Bool {
    if let place = index?.place(before: target), place.unit > unit {
      bits = bytes.start(at: place.offset)
      bits.load()
      bits.skip(UInt64(place.skippedBitCount))
      (unit, unitsBeforeRestart, restartCount) = (place.unit, place.unitsBeforeRestart, place.restartCount)
      for index in components.indices { predictions[index] = place.predictions[index] }
    }
    guard unit < target else { return unit == target }
    // Up to the last restart marker before it, MCUs are not even read.
    let first = unit + min(unitsBeforeRestart, target - unit + 1)
    if !checksAll, first <= target {
      let count = (target - first) / restartInterval + 1
      guard let next = bytes.restart(number: restartCount, count: count) else { return false }
      unit = first + (count - 1) * restartInterval
      restart(at: next, count: count)
    }
    // Nothing is written.
    let nowhere = UnsafeMutableRawPointer(coefficients).assumingMemoryBound(to: UInt8.self)
    let blocks = blocks(into: components.map { _ in ReducedTarget(start: nowhere, stride: 0) })
    return read(target - unit) { skipUnits($0, blocks) }
  }

  /// Reads MCUs and the restart markers between them.
  private func read(_ count: Int, _ units: (Int) -> Bool) -> Bool {
    var left = count
    while left > 0 {
      if unitsBeforeRestart == 0 {
        guard restart() else { return false }
      }
      let count = min(left, unitsBeforeRestart)
      guard units(count) else { return false }
      left -= count
      unit += count
      if restartInterval > 0 { unitsBeforeRestart -= count }
    }
    return true
  }

  /// Makes the next bytes available before an MCU, which may become a known place.
  ///
  /// - Parameter count: The MCUs that have been read since the last restart or row.
  private func advance(_ bits: inout JPEGBits, after count: Int) -> Bool {
    if !bytes.hasEnded { index?.append(place(bits, after: count), unit: unit + count) }
    return bytes.advance(&bits)
  }

  private func place(_ bits: JPEGBits, after count: Int) -> JPEGIndex.Place {
    let position = bytes.position(of: bits)
    var last = SIMD4<Int32>()
    for index in components.indices { last[index] = predictions[index] }
    return JPEGIndex.Place(
      unit: unit + count, offset: position.offset, skippedBitCount: position.bitCount, predictions: last,
      unitsBeforeRestart: restartInterval > 0 ? unitsBeforeRestart - count : .max, restartCount: restartCount)
  }

  /// Whether the end of the image or of the file follows the last MCU.
  private var isComplete: Bool {
    guard let offset = bytes.markerOffset(after: bits) else { return false }
    return bytes.marker(at: offset) ?? JPEGSegments.endOfImage == JPEGSegments.endOfImage
  }

  private func restart() -> Bool {
    guard let next = bytes.restart(after: bits, number: restartCount) else { return false }
    restart(at: next, count: 1)
    return true
  }

  private func restart(at next: JPEGBits, count: Int) {
    bits = next
    restartCount += count
    unitsBeforeRestart = restartInterval
    predictions.update(repeating: 0, count: components.count)
    index?.append(place(bits, after: 0), unit: unit)
  }

  private func component(_ index: Int, of header: JPEGScanHeader, _ tables: JPEGTables) -> Component? {
    let (component, ids) = (frame.components[index], header.components[index])
    guard let differences = tables.differences[ids.differences],
      let coefficients = tables.coefficients[ids.coefficients], let steps = tables.steps[component.table]
    else { return nil }
    for (position, place) in ReducedTransform.places(side: component.side).enumerated() {
      (self.steps + index * Self.stepCount + position).initialize(to: Step(step: steps[position], place: place))
    }
    let end = self.steps + index * Self.stepCount + 64
    end.initialize(repeating: (end - 1).pointee, count: Self.stepCount - 64)
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
          skips: lookups.coefficients.skips, steps: self.steps + index * Self.stepCount,
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
      for done in 0..<count {
        if bits.next >= limit {
          guard advance(&bits, after: done) else { return false }
          limit = bytes.limit
        }
        for index in 0..<blocks.count {
          guard read(&blocks[index], &bits, predictions, coefficients, &excess) else { return false }
        }
      }
      return excess == 0
    }
  }

  private func skipUnits(_ count: Int, _ blocks: [Block]) -> Bool {
    blocks.withUnsafeBufferPointer { blocks in
      var (bits, limit) = (bits, bytes.limit)
      let predictions = predictions
      defer { self.bits = bits }
      for done in 0..<count {
        if bits.next >= limit {
          guard advance(&bits, after: done) else { return false }
          limit = bytes.limit
        }
        for index in 0..<blocks.count {
          guard let next = readDifference(blocks[index], &bits, predictions),
            next >= 64 || skipCoefficients(blocks[index], &bits, from: next)
          else { return false }
        }
      }
      return true
    }
  }

  /// Reads the DC coefficient of a block; returns the number of the next coefficient.
  @inline(__always)
  private func readDifference(
    _ block: Block, _ bits: inout JPEGBits, _ predictions: UnsafeMutablePointer<Int32>
  ) -> Int? {
    bits.load()
    var entry = block.differences[bits.index]
    if entry == JPEGLookup.longEntry {
      guard let long = components[block.component].differences.longDifference(&bits) else { return nil }
      entry = long
    } else {
      bits.skip(UInt64(entry))
    }
    predictions[block.component] &+= Int32(bitPattern: entry) &>> 16
    return Int(entry &>> 6) & 1023
  }

  @inline(__always)
  private func read(
    _ block: inout Block, _ bits: inout JPEGBits, _ predictions: UnsafeMutablePointer<Int32>,
    _ coefficients: UnsafeMutablePointer<Int32>, _ excess: inout Int32
  ) -> Bool {
    guard var next = readDifference(block, &bits, predictions) else { return false }
    let mean = predictions[block.component] &* block.steps[0].step
    excess |= ReducedTransform.excess(mean)
    let target = block.target
    block.target += block.advance
    if block.side == 1 {
      target[0] = ReducedTransform.sample(mean)
    } else if next >= 64 {
      ReducedTransform.flat(mean, side: block.side, into: target, stride: block.stride)
    } else {
      // Loops of fixed lengths.
      switch block.side {
      case 2: coefficients.update(repeating: 0, count: 4)
      case 4: coefficients.update(repeating: 0, count: 16)
      default: coefficients.update(repeating: 0, count: 64)
      }
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
