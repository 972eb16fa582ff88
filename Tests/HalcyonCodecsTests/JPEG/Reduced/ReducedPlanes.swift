#if !IMAGEIO
import Foundation
import HalcyonImaging

@testable import HalcyonCodecs

/// The samples of a JPEG file at a scale, plane by plane, as they go to the resampler.
struct ReducedPlanes: Equatable {
  struct Plane: Equatable {
    let size: PixelSize
    var samples: [UInt8]

    subscript(column: Int, row: Int) -> UInt8 { samples[row * size.width + column] }
  }

  var planes: [Plane] = []

  /// The samples of Halcyon's own decoder; `nil` if it leaves the file to libjpeg.
  static func own(_ file: Data, scale: JPEGScale, isCancelled: @escaping () -> Bool = { false }) throws
    -> ReducedPlanes?
  {
    try with(file, isCancelled: isCancelled) { file in
      guard let source = try file.reducedPlanes(file.whole(scale)) else { return nil }
      do {
        return try ReducedPlanes(source)
      } catch {
        guard source.isUnusual else { throw error }
        return nil
      }
    }
  }

  /// The samples of libjpeg.
  static func libjpeg(_ file: Data, scale: JPEGScale) throws -> ReducedPlanes {
    try with(file) { try ReducedPlanes($0.planes($0.whole(scale))) }
  }

  /// The largest difference of a sample.
  func difference(to other: ReducedPlanes) -> Int {
    guard planes.map(\.size) == other.planes.map(\.size) else { return .max }
    return zip(planes, other.planes).flatMap { zip($0.samples, $1.samples).map { abs(Int($0) - Int($1)) } }.max() ?? 0
  }

  static func with<Result>(
    _ file: Data, isCancelled: @escaping () -> Bool = { false }, _ body: (JPEGFile) throws -> Result
  ) throws -> Result {
    try file.withUnsafeBytes { bytes in
      guard let header = try JPEGHeaderParser.parse(Bytes(bytes)) else { throw ImageDecodingError.truncated(.jpeg) }
      return try body(
        JPEGFile(
          bytes: bytes, size: header.size, cmykTransform: nil, truncation: PartialImagePolicy(isAccepted: false),
          isCancelled: isCancelled))
    }
  }

  init(_ source: any PlaneSource) throws {
    let format = source.format
    let rowCount = format.size.height + source.rowsPerRead
    guard let buffer = PlaneBuffer(rowByteCounts: format.rowByteCounts, rowCount: rowCount, isRing: false) else {
      throw ImageDecodingError.outOfMemory(format.size)
    }
    var row = 0
    while row < format.size.height { row += try source.readRows(at: row, into: buffer) }
    try source.finish()
    var shifts = (0, 0)
    if case .yCbCr(let x, let y) = format.channels { shifts = (x, y) }
    for plane in format.rowByteCounts.indices {
      let size = PixelSize(
        width: format.size.width >> (plane == 0 ? 0 : shifts.0),
        height: format.size.height >> (plane == 0 ? 0 : shifts.1))
      let samples = (0..<size.height).flatMap { row in
        UnsafeBufferPointer(start: buffer.row(row, ofPlane: plane), count: size.width)
      }
      planes.append(Plane(size: size, samples: samples))
    }
  }
}

extension ReducedPlanes.Plane {
  /// The lowest frequencies of each whole block of 8x8 samples, transformed to `side` times `side` samples in double precision.
  func reduced(side: Int) -> ReducedPlanes.Plane {
    let (across, down) = (size.width / 8, size.height / 8)
    var result = ReducedPlanes.Plane(
      size: PixelSize(width: across * side, height: down * side),
      samples: Array(repeating: 0, count: across * side * down * side))
    for row in 0..<down {
      for column in 0..<across {
        let samples = reducedBlock(column, row, side: side)
        for y in 0..<side {
          for x in 0..<side {
            result.samples[(row * side + y) * across * side + column * side + x] = samples[y * side + x]
          }
        }
      }
    }
    return result
  }

  private func reducedBlock(_ column: Int, _ row: Int, side: Int) -> [UInt8] {
    var frequencies = [Double](repeating: 0, count: side * side)
    for index in frequencies.indices {
      let (v, u) = index.quotientAndRemainder(dividingBy: side)
      for y in 0..<8 {
        for x in 0..<8 {
          frequencies[index] +=
            Double(self[column * 8 + x, row * 8 + y]) * Self.basis(y, v, of: 8) * Self.basis(x, u, of: 8) / 64
        }
      }
    }
    return frequencies.indices.map { position in
      let (y, x) = position.quotientAndRemainder(dividingBy: side)
      let sum = frequencies.indices.reduce(0.0) {
        $0 + frequencies[$1] * Self.basis(y, $1 / side, of: side) * Self.basis(x, $1 % side, of: side)
      }
      return UInt8(max(0, min(255, sum.rounded())))
    }
  }

  private static func basis(_ position: Int, _ frequency: Int, of count: Int) -> Double {
    (frequency == 0 ? 1 : 2.0.squareRoot())
      * cos(Double((2 * position + 1) * frequency) * .pi / Double(2 * count))
  }
}
#endif
