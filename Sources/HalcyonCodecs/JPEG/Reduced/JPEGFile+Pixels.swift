#if !IMAGEIO
import HalcyonImaging

extension JPEGFile {
  /// The most pixels whose planes are in memory at once.
  private static let pixelLimit = 1 << 24

  /// The pixels of an area of a plain baseline image at full scale; `nil` if libjpeg has to decode them. Both give the same.
  func pixels(of area: PixelArea) throws -> Bitmap? {
    // libjpeg does not interpolate the chroma of the smallest images.
    guard area.size.pixelCount <= Self.pixelLimit, size.width > 4 else { return nil }
    // Chroma is interpolated from the samples around a pixel.
    let outer = area.expanded(by: 2, toMultiplesOf: JPEGPart.plainUnit, in: size)
    guard let source = try reducedPlanes(JPEGPart(scale: .full, area: outer, readsToEnd: false)) else { return nil }
    let (format, shift) = (source.format, source.format.chromaShift)
    guard shift.y == 0 || shift == (1, 1), shift.x < 2 else { return nil }
    let rowCount = format.size.height + source.rowsPerRead
    guard let planes = PlaneBuffer(rowByteCounts: format.rowByteCounts, rowCount: rowCount, isRing: false) else {
      throw ImageDecodingError.outOfMemory(outer.size)
    }
    do {
      var row = 0
      while row < format.size.height { row += try source.readRows(at: row, into: planes) }
    } catch {
      guard source.isUnusual else { throw error }
      return nil
    }
    let whole = PixelSize(width: (size.width + shift.x) >> shift.x, height: (size.height + shift.y) >> shift.y)
    return try Bitmap(size: area.size, isOpaque: true) { output in
      guard let pixels = output.bindMemory(to: UInt32.self).baseAddress else { return }
      var chroma = [ChromaRow](
        repeating: ChromaRow(area, shift: shift, of: whole), count: format.channels == .grey ? 0 : 2)
      for row in 0..<area.height {
        let luma = planes.row(area.top - outer.top + row, ofPlane: 0) + (area.left - outer.left)
        let target = pixels + row * area.width
        for index in chroma.indices {
          let (near, far) = chroma[index].lines(for: area.top + row)
          func line(_ line: Int) -> UnsafePointer<UInt8> {
            UnsafePointer(planes.row(line - outer.top >> shift.y, ofPlane: index + 1)) - (outer.left >> shift.x)
          }
          chroma[index].read(line(near), line(far))
        }
        guard chroma.count == 2 else {
          for column in 0..<area.width {
            target[column] = (UInt32(luma[column]) &* 0x0001_0101 | 0xFF00_0000).littleEndian
          }
          continue
        }
        YCbCr.convert(luma, chroma[0].samples, chroma[1].samples, count: area.width, into: target)
      }
    }
  }
}

extension PlaneFormat {
  fileprivate var chromaShift: (x: Int, y: Int) {
    if case .yCbCr(let shiftX, let shiftY) = channels { (shiftX, shiftY) } else { (0, 0) }
  }
}

/// A row of chroma at the resolution of luma, interpolated as by libjpeg.
private struct ChromaRow {
  private(set) var samples: [UInt8]

  private let area: PixelArea
  private let shift: (x: Int, y: Int)
  private let whole: PixelSize
  /// Weighted sums of two lines, four times their mean.
  private var sums: [UInt16]
  private let firstColumn: Int

  /// - Parameter whole: The size of the plane.
  init(_ area: PixelArea, shift: (x: Int, y: Int), of whole: PixelSize) {
    (self.area, self.shift, self.whole) = (area, shift, whole)
    samples = Array(repeating: 0, count: area.width)
    firstColumn = max(0, area.left >> shift.x - 1)
    let end = min(whole.width, (area.left + area.width - 1) >> shift.x + 2)
    sums = Array(repeating: 0, count: end - firstColumn)
  }

  /// The line of the plane that is nearest to a row of luma, and the next one.
  func lines(for row: Int) -> (near: Int, far: Int) {
    let near = row >> shift.y
    return (near, shift.y == 0 ? near : max(0, min(whole.height - 1, near + (row & 1 == 0 ? -1 : 1))))
  }

  /// Interpolates two lines, which start at the left edge of the image.
  mutating func read(_ near: UnsafePointer<UInt8>, _ far: UnsafePointer<UInt8>) {
    guard shift.x == 1 else {
      for column in samples.indices { samples[column] = near[area.left + column] }
      return
    }
    for index in sums.indices {
      let column = firstColumn &+ index
      sums[index] = shift.y == 0 ? UInt16(near[column]) &* 4 : UInt16(near[column]) &* 3 &+ UInt16(far[column])
    }
    // Rounded up and down in turn.
    let (even, odd): (UInt16, UInt16) = shift.y == 0 ? (4, 8) : (8, 7)
    let last = sums.count - 1
    for column in samples.indices {
      let position = area.left &+ column
      let index = position >> 1 &- firstColumn
      let isEven = position & 1 == 0
      let other = sums[isEven ? max(0, index &- 1) : min(last, index &+ 1)]
      samples[column] = UInt8(truncatingIfNeeded: (sums[index] &* 3 &+ other &+ (isEven ? even : odd)) &>> 4)
    }
  }
}

/// The conversion of JFIF, in libjpeg's whole numbers.
private enum YCbCr {
  static func convert(
    _ luma: UnsafePointer<UInt8>, _ blue: [UInt8], _ red: [UInt8], count: Int, into pixels: UnsafeMutablePointer<UInt32>
  ) {
    blue.withUnsafeBufferPointer { blue in
      red.withUnsafeBufferPointer { red in
        for column in 0..<count {
          let (y, cb, cr) = (Int32(luma[column]), Int32(blue[column]) &- 128, Int32(red[column]) &- 128)
          let r = level(y &+ (cr &* 91_881 &+ 32_768) &>> 16)
          let g = level(y &+ (cb &* -22_554 &+ cr &* -46_802 &+ 32_768) &>> 16)
          let b = level(y &+ (cb &* 116_130 &+ 32_768) &>> 16)
          pixels[column] = (r | g &<< 8 | b &<< 16 | 0xFF00_0000).littleEndian
        }
      }
    }
  }

  @inline(__always)
  private static func level(_ value: Int32) -> UInt32 { UInt32(truncatingIfNeeded: max(0, min(255, value))) }
}
#endif
