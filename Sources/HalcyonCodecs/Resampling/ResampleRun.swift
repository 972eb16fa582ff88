import HalcyonImaging

/// One image on its way through zimg: rows in from a source, pixels out, a few rows of both held between.
final class ResampleRun {
  private let source: any PlaneSource
  private let shared: SharedResampleGraph
  private let input: PlaneBuffer
  private let output: PlaneBuffer
  private let outputSize: PixelSize
  private let pixels: UnsafeMutablePointer<UInt32>
  private let isStreaming: Bool
  private var readRowCount = 0
  private var sourceError: ImageDecodingError?

  /// Whether zimg wants to pass over the source several times, for which all of its rows have to be held.
  private(set) var needsWholeSource = false

  /// - Parameters:
  ///   - graph: Built for the format of the source.
  ///   - outputSize: The size of the result of the graph.
  ///   - pixels: Room for all pixels of the result.
  ///   - holdsWholeSource: Whether all rows of the source are kept, not only a few.
  init(
    source: any PlaneSource, graph shared: SharedResampleGraph, outputSize: PixelSize,
    into pixels: UnsafeMutablePointer<UInt32>, holdsWholeSource: Bool
  ) throws(ResamplingError) {
    let rows = (try shared.graph.inputRowCount() &+ source.rowsPerRead).roundedUpToPowerOfTwo
    let height = source.format.size.height
    isStreaming = !holdsWholeSource && rows < height
    let rowCount = isStreaming ? rows : height + source.rowsPerRead
    guard
      let input = PlaneBuffer(rowByteCounts: source.format.rowByteCounts, rowCount: rowCount, isRing: isStreaming),
      let output = try Self.outputBuffer(graph: shared.graph, channels: source.format.outputChannels, size: outputSize)
    else { throw .outOfMemory }
    self.source = source
    self.shared = shared
    self.input = input
    self.output = output
    self.outputSize = outputSize
    self.pixels = pixels
  }

  private static func outputBuffer(
    graph: borrowing ResampleGraph, channels: PlaneFormat.Channels, size: PixelSize
  ) throws(ResamplingError) -> PlaneBuffer? {
    let rows = try graph.outputRowCount().roundedUpToPowerOfTwo
    let planes = PlaneFormat(channels: channels, size: size).rowByteCounts
    return PlaneBuffer(rowByteCounts: planes, rowCount: min(rows, size.height), isRing: rows < size.height)
  }

  /// Draws everything; a ``ResamplingError/stopped`` may be due to ``needsWholeSource`` or to ``failure``.
  func run() throws(ResamplingError) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    try shared.graph.process(
      input, into: output, context: context,
      unpack: { context, row, _, _ in ResampleRun.from(context)?.unpack(Int(row)) ?? 1 },
      pack: { context, row, left, right in ResampleRun.from(context)?.pack(Int(row), Int(left)..<Int(right)) ?? 1 })
  }

  /// Why the source stopped giving rows, if it did.
  var failure: ImageDecodingError? { sourceError }

  /// Reads what the result did not need, so that damage at the end of a file is seen.
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
    do throws(ImageDecodingError) {
      // Subsampled images are asked for in pairs or fours of rows; a source reads whole ones.
      let end = min(row + source.rowStep, source.format.size.height)
      while readRowCount < end { try read() }
      return 0
    } catch {
      sourceError = error
      return 1
    }
  }

  private func pack(_ row: Int, _ columns: Range<Int>) -> Int32 {
    guard !isStreaming || columns == 0..<outputSize.width else {
      needsWholeSource = true
      return 1
    }
    let target = pixels + row * outputSize.width
    let samples = (0..<output.planeCount).map { UnsafePointer(output.row(row, ofPlane: $0)) }
    switch samples.count {
    case 1: RowPacking.grey(samples[0], into: target, columns: columns)
    case 3: RowPacking.rgb(samples[0], samples[1], samples[2], into: target, columns: columns)
    default: RowPacking.rgba(samples[0], samples[1], samples[2], samples[3], into: target, columns: columns)
    }
    return 0
  }
}

extension PlaneSource {
  /// Rows of the first plane for each row of the smallest plane.
  fileprivate var rowStep: Int {
    if case .yCbCr(_, let shiftY) = format.channels { 1 << shiftY } else { 1 }
  }
}

extension Int {
  /// The least power of two that is not below the number, which must be at least 1 and may be `UInt32.max`.
  fileprivate var roundedUpToPowerOfTwo: Int { self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}

/// Interleaves a row of planes as RGBA, four bytes a pixel.
private enum RowPacking {
  typealias Samples = UnsafePointer<UInt8>
  typealias Pixels = UnsafeMutablePointer<UInt32>

  static func grey(_ grey: Samples, into pixels: Pixels, columns: Range<Int>) {
    for column in columns {
      pixels[column] = (UInt32(grey[column]) &* 0x0001_0101 | 0xFF00_0000).littleEndian
    }
  }

  static func rgb(_ red: Samples, _ green: Samples, _ blue: Samples, into pixels: Pixels, columns: Range<Int>) {
    for column in columns {
      let color = UInt32(red[column]) | UInt32(green[column]) &<< 8 | UInt32(blue[column]) &<< 16
      pixels[column] = (color | 0xFF00_0000).littleEndian
    }
  }

  /// Lanczos overshoots at edges; a premultiplied colour above its alpha would be no colour.
  static func rgba(
    _ red: Samples, _ green: Samples, _ blue: Samples, _ alpha: Samples, into pixels: Pixels, columns: Range<Int>
  ) {
    for column in columns {
      let limit = alpha[column]
      let reds = UInt32(min(red[column], limit))
      let greens = UInt32(min(green[column], limit))
      let blues = UInt32(min(blue[column], limit))
      pixels[column] = (reds | greens &<< 8 | blues &<< 16 | UInt32(limit) &<< 24).littleEndian
    }
  }
}
