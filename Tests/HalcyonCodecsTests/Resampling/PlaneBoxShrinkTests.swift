import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs
@testable import HalcyonImaging

@Suite(.integrationTest)
struct PlaneBoxShrinkTests {
  @Test(arguments: [(64, 48), (62, 50), (6, 2), (2, 2), (514, 34)], [2, 3, 4, 5, 7, 256])
  func `each sample is the average of a square, and the last ones repeat`(side: (Int, Int), factor: Int) throws {
    let size = PixelSize(width: side.0, height: side.1)
    let source = RandomPlanes(size, channels: .yCbCr(shiftX: 1, shiftY: 1))
    let shrunk = try PlaneBoxShrink(source, factor: factor)
    guard
      let target = PlaneBuffer(
        rowByteCounts: shrunk.format.rowByteCounts, rowCount: shrunk.format.size.height, isRing: false)
    else {
      throw ImageDecodingError.outOfMemory(shrunk.format.size)
    }
    var row = 0
    while row < shrunk.format.size.height { row += try shrunk.readRows(at: row, into: target) }

    #expect(shrunk.format.size.width * factor >= size.width && shrunk.format.size.height * factor >= size.height)
    for plane in 0..<3 {
      let samples = source.planes[plane]
      let shift = plane == 0 ? 0 : 1
      for row in 0..<shrunk.format.size.height >> shift {
        let values = (0..<shrunk.format.rowByteCounts[plane]).map { target.row(row, ofPlane: plane)[$0] }
        #expect(values == (0..<values.count).map { samples.average(column: $0, row: row, factor: factor) })
      }
    }
  }

  @Test func `planes that are not subsampled are averaged one row at a time`() throws {
    let source = RandomPlanes(PixelSize(width: 9, height: 7), channels: .rgb)
    let shrunk = try PlaneBoxShrink(source, factor: 2)
    #expect(shrunk.format.size == PixelSize(width: 5, height: 4))
    guard let target = PlaneBuffer(rowByteCounts: shrunk.format.rowByteCounts, rowCount: 4, isRing: false) else {
      throw ImageDecodingError.outOfMemory(shrunk.format.size)
    }
    for row in 0..<4 {
      #expect(try shrunk.readRows(at: row, into: target) == 1)
      for plane in 0..<3 {
        let values = (0..<5).map { target.row(row, ofPlane: plane)[$0] }
        #expect(values == (0..<5).map { source.planes[plane].average(column: $0, row: row, factor: 2) })
      }
    }
  }
}

/// Planes of pseudorandom samples.
private final class RandomPlanes: PlaneSource {
  struct Plane {
    let width: Int
    let height: Int
    let samples: [UInt8]

    func average(column: Int, row: Int, factor: Int) -> UInt8 {
      // Past the end, the last average repeats.
      let column = min(column, (width - 1) / factor)
      let row = min(row, (height - 1) / factor)
      let rows = row * factor..<min((row + 1) * factor, height)
      let columns = column * factor..<min((column + 1) * factor, width)
      let total = rows.reduce(0) { sum, row in sum + columns.reduce(0) { $0 + Int(samples[row * width + $1]) } }
      let count = rows.count * columns.count
      return UInt8((total + count / 2) / count)
    }
  }

  let format: PlaneFormat
  let planes: [Plane]
  let rowsPerRead: Int

  init(_ size: PixelSize, channels: PlaneFormat.Channels) {
    let shift = channels == .rgb ? 0 : 1
    var seed: UInt32 = 1
    planes = [0, shift, shift].map { shift in
      let (width, height) = (size.width >> shift, size.height >> shift)
      let samples = (0..<width * height).map { _ in
        seed = seed &* 1_664_525 &+ 1_013_904_223
        return UInt8(seed >> 24)
      }
      return Plane(width: width, height: height, samples: samples)
    }
    format = PlaneFormat(channels: channels, size: size, rowByteCounts: planes.map(\.width))
    rowsPerRead = 1 << shift
  }

  func readRows(at row: Int, into target: borrowing PlaneBuffer) -> Int {
    for (index, plane) in planes.enumerated() {
      let ratio = format.size.height / plane.height
      for row in row / ratio..<(row + rowsPerRead) / ratio {
        for column in 0..<plane.width {
          target.row(row, ofPlane: index)[column] = plane.samples[row * plane.width + column]
        }
      }
    }
    return rowsPerRead
  }

  func finish() {}
}
