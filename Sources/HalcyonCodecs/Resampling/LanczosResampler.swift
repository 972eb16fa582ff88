import HalcyonImaging

/// Resamples a window of an image with a Lanczos filter in Swift, while its rows are decoded.
///
/// Memory is the result and as many rows as the filter has taps, at most 27.
struct LanczosResampler {
  /// The window to resample, in possibly fractional pixels of the source, and the output size.
  let geometry: ResizeGeometry
  let isCancelled: () -> Bool

  /// The resampled bitmap.
  func bitmap(isOpaque: Bool, from rows: any RowSource) throws -> Bitmap {
    let (rows, window) = shrunk(rows)
    let size = geometry.outputSize
    let run = LanczosRun(
      rows,
      columns: LanczosFilter(
        sourceLength: rows.size.width, window: (window.x, window.width), outputLength: size.width),
      lines: LanczosFilter(
        sourceLength: rows.size.height, window: (window.y, window.height), outputLength: size.height),
      isCancelled: isCancelled)
    return try Bitmap(size: size, isOpaque: isOpaque) { output in
      guard let pixels = output.baseAddress else { return }
      for line in 0..<size.height {
        try run.write(line, into: pixels + line * size.width * 4, isOpaque: isOpaque)
      }
      try run.drain()
    }
  }

  /// The largest reduction of an axis that is left to the Lanczos filter, for 27 taps.
  private static let reductionLimit = 4.5

  /// The source and the window after box filters that leave at least two pixels per output pixel.
  ///
  /// Both axes have the same factor, unless one of them is reduced much more.
  private func shrunk(_ source: any RowSource) -> (rows: any RowSource, window: PixelRectangle) {
    var (rows, window) = (source, geometry.window)
    while true {
      let reductions = (
        window.width / Double(geometry.outputSize.width), window.height / Double(geometry.outputSize.height)
      )
      let least = BoxShrink.factor(reduction: min(reductions.0, reductions.1))
      let (across, down) = (Self.factor(reductions.0, atLeast: least), Self.factor(reductions.1, atLeast: least))
      if across == 1, down == 1 { return (rows, window) }
      rows = BoxShrink(rows, across: across, down: down, isCancelled: isCancelled)
      window = PixelRectangle(
        x: window.x / Double(across), y: window.y / Double(down), width: window.width / Double(across),
        height: window.height / Double(down))
    }
  }

  private static func factor(_ reduction: Double, atLeast least: Int) -> Int {
    reduction / Double(least) <= reductionLimit ? least : BoxShrink.factor(reduction: reduction)
  }
}

/// One pass over the rows of a source. For one thread.
private final class LanczosRun {
  private let rows: any RowSource
  private let columns: LanczosFilter
  private let lines: LanczosFilter
  private let isCancelled: () -> Bool
  /// Whether the columns are filtered as rows are read, and the lines afterwards.
  private let filtersColumnsFirst: Bool
  /// The columns of the source that the result needs.
  private let usedColumns: Range<Int>
  /// The weights of the columns, each four times, for an even number of taps.
  private let columnWeights: [Int16]
  private let columnTapCount: Int
  private var row: [UInt32]
  /// As many rows as the filter has taps: row `i` is at `i % lines.tapCount`; then two rows for intermediate results.
  private let memory: UnsafeMutablePointer<Int16>
  private let stride: Int
  private var readCount = 0

  init(_ rows: any RowSource, columns: LanczosFilter, lines: LanczosFilter, isCancelled: @escaping () -> Bool) {
    self.rows = rows
    self.columns = columns
    self.lines = lines
    self.isCancelled = isCancelled
    filtersColumnsFirst = Self.costsLessColumnsFirst(across: columns.scale, down: lines.scale)
    usedColumns = columns.starts[0]..<columns.starts[columns.starts.count - 1] + columns.tapCount
    columnTapCount = (columns.tapCount + 1) / 2 * 2
    columnWeights = Self.repeated(columns, tapCount: columnTapCount)
    row = Array(repeating: 0, count: rows.size.width)
    // With one more pixel, which the last tap of weight 0 reads.
    stride = (max(usedColumns.count, columns.starts.count) * 4 + 4 + 15) / 16 * 16
    let count = stride * (lines.tapCount + 2)
    memory = .allocate(capacity: count)
    memory.initialize(repeating: 0, count: count)
  }

  deinit { memory.deallocate() }

  /// Filtering columns takes about twice as long for each pixel as filtering lines.
  private static func costsLessColumnsFirst(across: Double, down: Double) -> Bool {
    2 * max(across, 1) + across * max(down, 1) < max(down, 1) + 2 * down * max(across, 1)
  }

  private static func repeated(_ filter: LanczosFilter, tapCount: Int) -> [Int16] {
    var weights = [Int16](repeating: 0, count: filter.starts.count * tapCount * 4)
    for index in filter.starts.indices {
      for tap in 0..<filter.tapCount {
        let weight = filter.weights[index * filter.tapCount + tap]
        for channel in 0..<4 { weights[(index * tapCount + tap) * 4 + channel] = weight }
      }
    }
    return weights
  }

  /// Writes one line of the result, four bytes per pixel; lines are written from top to bottom.
  func write(_ line: Int, into pixels: UnsafeMutableRawPointer, isOpaque: Bool) throws(ImageDecodingError) {
    let start = lines.starts[line]
    while readCount < start + lines.tapCount { try readRow(isUsed: readCount >= start) }
    let combined = memory + lines.tapCount * stride
    let combinedCount = ((filtersColumnsFirst ? columns.starts.count : usedColumns.count) * 4 + 15) / 16 * 16
    let sources = (start..<start + lines.tapCount).map { memory + $0 % lines.tapCount * stride }
    lines.weights.withUnsafeBufferPointer { weights in
      sources.withUnsafeBufferPointer { sources in
        guard let weights = weights.baseAddress, let sources = sources.baseAddress else { return }
        LanczosRows.combine(
          sources, weights: weights + line * lines.tapCount, rowCount: lines.tapCount, weightBits: lines.weightBits,
          into: combined, count: combinedCount)
      }
    }
    if filtersColumnsFirst {
      LanczosRows.pack(combined, into: pixels, count: columns.starts.count, isOpaque: isOpaque)
    } else {
      let filtered = combined + stride
      filterColumns(of: combined, into: filtered)
      LanczosRows.pack(filtered, into: pixels, count: columns.starts.count, isOpaque: isOpaque)
    }
  }

  /// Reads the rows that the result did not need, so that damage at the end of a file is detected.
  func drain() throws(ImageDecodingError) {
    while readCount < rows.size.height { try readRow(isUsed: false) }
    try rows.finish()
  }

  private func readRow(isUsed: Bool) throws(ImageDecodingError) {
    try rows.checkCancelled(atRow: readCount, isCancelled)
    try rows.readRow(intoPixels: &row)
    if isUsed {
      let target = memory + readCount % lines.tapCount * stride
      let samples = filtersColumnsFirst ? memory + (lines.tapCount + 1) * stride : target
      row.withUnsafeBytes { bytes in
        guard let bytes = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
        LanczosRows.unpack(bytes + usedColumns.lowerBound * 4, into: samples, count: usedColumns.count * 4)
      }
      if filtersColumnsFirst { filterColumns(of: samples, into: target) }
    }
    readCount += 1
  }

  private func filterColumns(of samples: UnsafePointer<Int16>, into target: UnsafeMutablePointer<Int16>) {
    let bits = LanczosRows.sumBits(columns.weightBits)
    let shift = SIMD4<Int16>(repeating: Int16(LanczosRows.sampleBits - bits))
    let bias = SIMD4<Int16>(repeating: Int16(columns.tapCount / 2))
    let high = SIMD4<Int16>(repeating: Int16(255 << bits))
    let (first, tapCount) = (usedColumns.lowerBound, columnTapCount)
    columnWeights.withUnsafeBufferPointer { weights in
      columns.starts.withUnsafeBufferPointer { starts in
        guard let weights = weights.baseAddress else { return }
        for column in 0..<starts.count {
          let sum = LanczosRows.sum(
            samples + (starts[column] &- first) &* 4, weights: weights + column &* tapCount &* 4, tapCount: tapCount)
          let clamped = pointwiseMin(pointwiseMax(sum &+ bias, SIMD4(repeating: 0)), high) &<< shift
          UnsafeMutableRawPointer(target + column &* 4).storeBytes(of: clamped, as: SIMD4<Int16>.self)
        }
      }
    }
  }
}
