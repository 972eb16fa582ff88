import HalcyonImaging

/// Resamples a window of an image of half floats with a Lanczos filter in Swift, while its rows are decoded.
///
/// Like other colours they are resampled by perceived lightness: in linear light, the negative weights of the filter would
/// draw black edges around highlights.
struct HalfFloatResampler {
  /// The window to resample, in possibly fractional pixels of the source, and the output size.
  let geometry: ResizeGeometry
  let isCancelled: () -> Bool

  /// The resampled bitmap.
  func bitmap(isOpaque: Bool, from rows: any RowSource) throws -> Bitmap {
    let (size, window) = (geometry.outputSize, geometry.window)
    let run = HalfFloatRun(
      rows,
      columns: LanczosFilter(
        sourceLength: rows.size.width, window: (window.x, window.width), outputLength: size.width),
      lines: LanczosFilter(
        sourceLength: rows.size.height, window: (window.y, window.height), outputLength: size.height),
      isCancelled: isCancelled)
    return try Bitmap(size: size, isOpaque: isOpaque, dynamicRange: .high) { output in
      guard let pixels = output.baseAddress else { return }
      for line in 0..<size.height { try run.write(line, into: pixels + line * size.width * 8) }
      try run.drain()
    }
  }
}

/// One pass over the rows of a source. For one thread.
private final class HalfFloatRun {
  private static let largestSample: Float = 65_535

  private let rows: any RowSource
  private let columns: LanczosFilter
  private let lines: LanczosFilter
  private let isCancelled: () -> Bool
  private let mapper = ToneMapper(.keptPQ)
  private var row: [UInt64]
  private var samples: [UInt16]
  /// The columns of as many rows as the filter has taps, premultiplied: row `i` is at `i % lines.tapCount`.
  private var filtered: [[SIMD4<Float>]]
  private var result: [UInt16]
  private var readCount = 0

  init(_ rows: any RowSource, columns: LanczosFilter, lines: LanczosFilter, isCancelled: @escaping () -> Bool) {
    (self.rows, self.columns, self.lines, self.isCancelled) = (rows, columns, lines, isCancelled)
    row = Array(repeating: 0, count: rows.size.width)
    samples = Array(repeating: 0, count: rows.size.width * 4)
    filtered = Array(repeating: Array(repeating: .zero, count: columns.starts.count), count: lines.tapCount)
    result = Array(repeating: 0, count: columns.starts.count * 4)
  }

  /// Writes one line of the result; lines are written from top to bottom.
  func write(_ line: Int, into pixels: UnsafeMutableRawPointer) throws(ImageDecodingError) {
    let start = lines.starts[line]
    while readCount < start + lines.tapCount { try readRow(isUsed: readCount >= start) }
    for column in columns.starts.indices {
      var sum = SIMD4<Float>.zero
      for tap in 0..<lines.tapCount {
        let weight = Float(lines.weights[line * lines.tapCount + tap])
        sum += filtered[(start + tap) % lines.tapCount][column] * weight
      }
      sum /= Float(1 << lines.weightBits)
      let alpha = min(max(sum.w, 0), 1)
      let straight = alpha > 0 ? sum / alpha : .zero
      for channel in 0..<3 { result[column * 4 + channel] = Self.sample(straight[channel]) }
      result[column * 4 + 3] = Self.sample(alpha)
    }
    mapper.convert(result, count: columns.starts.count, to: pixels)
  }

  /// Reads the rows that the result did not need, so that damage at the end of a file is detected.
  func drain() throws(ImageDecodingError) {
    while readCount < rows.size.height { try readRow(isUsed: false) }
    try rows.finish()
  }

  private func readRow(isUsed: Bool) throws(ImageDecodingError) {
    try rows.checkCancelled(atRow: readCount, isCancelled)
    try rows.readRow(intoPixels: &row)
    defer { readCount += 1 }
    guard isUsed else { return }
    samples.withUnsafeMutableBufferPointer { samples in
      if let start = samples.baseAddress {
        PerceptualQuantizer.convert(row, count: row.count, into: start, channelCount: 4)
      }
    }
    let target = readCount % lines.tapCount
    for (column, start) in columns.starts.enumerated() {
      var sum = SIMD4<Float>.zero
      for tap in 0..<columns.tapCount {
        sum += pixel(start + tap) * Float(columns.weights[column * columns.tapCount + tap])
      }
      filtered[target][column] = sum / Float(1 << columns.weightBits)
    }
  }

  /// From 0 to 1, with premultiplied colours.
  private func pixel(_ column: Int) -> SIMD4<Float> {
    let start = column * 4
    let alpha = Float(samples[start + 3]) / Self.largestSample
    let color = SIMD4<Float>(
      Float(samples[start]), Float(samples[start + 1]), Float(samples[start + 2]), Self.largestSample)
    return color * (alpha / Self.largestSample)
  }

  private static func sample(_ value: Float) -> UInt16 { UInt16((min(max(value, 0), 1) * largestSample).rounded()) }
}
