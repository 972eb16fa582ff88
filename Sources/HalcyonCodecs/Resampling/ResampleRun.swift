#if !IMAGEIO
import HalcyonImaging
import CHalcyonSystemShim

/// One run of a filter graph: reads rows from a source, writes pixels, and buffers a few rows of both.
final class ResampleRun {
  private let source: any PlaneSource
  private let shared: SharedResampleGraph
  private let input: PlaneBuffer
  private let output: PlaneBuffer
  private let outputSize: PixelSize
  private let pixels: UnsafeMutableRawPointer
  private let isStreaming: Bool
  /// For high dynamic range.
  private let toneMapper: ToneMapper?
  private var readRowCount = 0
  private var sourceError: ImageDecodingError?

  /// Whether zimg needs several passes over the source, so that all of its rows have to be buffered.
  private(set) var needsWholeSource = false

  /// - Parameters:
  ///   - graph: A graph for the format of the source.
  ///   - outputSize: The output size of the graph.
  ///   - pixels: A buffer for all output pixels.
  ///   - buffersWholeSource: Whether all rows of the source are buffered, not only a few.
  init(
    source: any PlaneSource, graph shared: SharedResampleGraph, outputSize: PixelSize,
    into pixels: UnsafeMutableRawPointer, buffersWholeSource: Bool
  ) throws(ResamplingError) {
    let rows = (try shared.graph.inputRowCount() &+ source.rowsPerRead).roundedUpToPowerOfTwo
    let height = source.format.size.height
    isStreaming = !buffersWholeSource && rows < height
    let rowCount = isStreaming ? rows : height + source.rowsPerRead
    guard
      let input = PlaneBuffer(rowByteCounts: source.format.rowByteCounts, rowCount: rowCount, isRing: isStreaming),
      let output = try Self.outputBuffer(graph: shared.graph, format: source.format, size: outputSize)
    else { throw .outOfMemory }
    self.source = source
    self.shared = shared
    self.input = input
    self.output = output
    self.outputSize = outputSize
    self.pixels = pixels
    toneMapper = source.format.coding.highDynamicRange.map { ToneMapper($0) }
  }

  private static func outputBuffer(
    graph: borrowing ResampleGraph, format: PlaneFormat, size: PixelSize
  ) throws(ResamplingError) -> PlaneBuffer? {
    let rows = try graph.outputRowCount().roundedUpToPowerOfTwo
    let bytesPerSample = format.coding.highDynamicRange == nil ? 1 : 2
    let planes = PlaneFormat(channels: format.outputChannels, size: size).rowByteCounts.map { $0 * bytesPerSample }
    return PlaneBuffer(rowByteCounts: planes, rowCount: min(rows, size.height), isRing: rows < size.height)
  }

  /// Resamples the whole image. After ``ResamplingError/stopped``, ``needsWholeSource`` or ``failure`` has the reason.
  func run() throws(ResamplingError) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    try shared.graph.process(
      input, into: output, context: context,
      unpack: { context, row, _, _ in ResampleRun.from(context)?.unpack(Int(row)) ?? 1 },
      pack: { context, row, left, right in ResampleRun.from(context)?.pack(Int(row), Int(left)..<Int(right)) ?? 1 })
  }

  /// The error with which reading from the source failed, if any.
  var failure: ImageDecodingError? { sourceError }

  /// Reads the rows that the result did not need, so that damage at the end of a file is detected.
  func drain() throws(ImageDecodingError) {
    while readRowCount < source.format.size.height { try read() }
    try source.finish()
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> ResampleRun? {
    context.map { Unmanaged<ResampleRun>.fromOpaque($0).takeUnretainedValue() }
  }

  private func read() throws(ImageDecodingError) {
    readRowCount += try source.readRows(at: readRowCount, into: input)
  }

  private func unpack(_ row: Int) -> Int32 {
    halcyon_clear_upper_halves()
    do throws(ImageDecodingError) {
      // zimg requests subsampled images in groups of two or four rows.
      let end = min(row + source.rowStep, source.format.size.height)
      while readRowCount < end { try read() }
      return 0
    } catch {
      sourceError = error
      return 1
    }
  }

  private func pack(_ row: Int, _ columns: Range<Int>) -> Int32 {
    halcyon_clear_upper_halves()
    guard !isStreaming || columns == 0..<outputSize.width else {
      needsWholeSource = true
      return 1
    }
    if let toneMapper {
      map(row, columns, with: toneMapper)
      return 0
    }
    let target = pixels.assumingMemoryBound(to: UInt32.self) + row * outputSize.width
    let samples = (0..<output.planeCount).map { UnsafePointer(output.row(row, ofPlane: $0)) }
    switch samples.count {
    case 1: RowPacking.grey(samples[0], into: target, columns: columns)
    case 3: RowPacking.rgb(samples[0], samples[1], samples[2], into: target, columns: columns)
    default: RowPacking.rgba(samples[0], samples[1], samples[2], samples[3], into: target, columns: columns)
    }
    return 0
  }

  private func map(_ row: Int, _ columns: Range<Int>, with toneMapper: ToneMapper) {
    let samples = (0..<output.planeCount).map { plane in
      UnsafePointer(
        UnsafeMutableRawPointer(output.row(row, ofPlane: plane)).assumingMemoryBound(to: UInt16.self)
          + columns.lowerBound)
    }
    let offset = (row * outputSize.width + columns.lowerBound) * toneMapper.dynamicRange.bytesPerPixel
    toneMapper.convert(samples, count: columns.count, into: pixels + offset)
  }
}

extension PlaneSource {
  /// The rows of the first plane per row of the most subsampled plane.
  fileprivate var rowStep: Int {
    if case .yCbCr(_, let shiftY) = format.channels { 1 << shiftY } else { 1 }
  }
}

extension Int {
  /// The smallest power of two that is not below this number, which must be in `1...UInt32.max`.
  fileprivate var roundedUpToPowerOfTwo: Int { self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}

extension UInt32 {
  /// The number whose first byte in memory is the lowest: `littleEndian` is a generic function, slow without optimisation.
  fileprivate var inMemory: UInt32 {
    #if _endian(big)
    byteSwapped
    #else
    self
    #endif
  }
}

/// Interleaves one row of planes as RGBA, four bytes per pixel. Without ranges, which are slow without optimisation.
private enum RowPacking {
  typealias Samples = UnsafePointer<UInt8>
  typealias Pixels = UnsafeMutablePointer<UInt32>

  static func grey(_ grey: Samples, into pixels: Pixels, columns: Range<Int>) {
    var column = columns.lowerBound
    while column < columns.upperBound {
      pixels[column] = (UInt32(truncatingIfNeeded: grey[column]) &* 0x0001_0101 | 0xFF00_0000).inMemory
      column &+= 1
    }
  }

  static func rgb(_ red: Samples, _ green: Samples, _ blue: Samples, into pixels: Pixels, columns: Range<Int>) {
    var column = columns.lowerBound
    while column < columns.upperBound {
      pixels[column] = (color(red[column], green[column], blue[column]) | 0xFF00_0000).inMemory
      column &+= 1
    }
  }

  /// Clamps colours to alpha: Lanczos overshoots at edges, and a premultiplied colour above its alpha is invalid.
  static func rgba(
    _ red: Samples, _ green: Samples, _ blue: Samples, _ alpha: Samples, into pixels: Pixels, columns: Range<Int>
  ) {
    var column = columns.lowerBound
    while column < columns.upperBound {
      let limit = alpha[column]
      let color = color(min(red[column], limit), min(green[column], limit), min(blue[column], limit))
      pixels[column] = (color | UInt32(truncatingIfNeeded: limit) &<< 24).inMemory
      column &+= 1
    }
  }

  @inline(__always)
  private static func color(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt32 {
    UInt32(truncatingIfNeeded: red) | UInt32(truncatingIfNeeded: green) &<< 8 | UInt32(truncatingIfNeeded: blue) &<< 16
  }
}
#endif
