#if !IMAGEIO
import HalcyonImaging

extension JPEGFile {
  /// The most pixels of an area: libjpeg decodes more of them faster.
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
    // A row of MCUs, and the one before or after it.
    let rowCount = 2 * source.rowsPerRead
    guard let planes = PlaneBuffer(rowByteCounts: format.rowByteCounts, rowCount: rowCount, isRing: true) else {
      throw ImageDecodingError.outOfMemory(outer.size)
    }
    let whole = PixelSize(width: (size.width + shift.x) >> shift.x, height: (size.height + shift.y) >> shift.y)
    do {
      return try Bitmap(size: area.size, isOpaque: true) { output in
        guard let pixels = output.bindMemory(to: UInt32.self).baseAddress else { return }
        var chroma = [ChromaRow](
          repeating: ChromaRow(area, shift: shift, of: whole), count: format.channels == .grey ? 0 : 2)
        var readCount = 0
        for row in 0..<area.height {
          let position = area.top - outer.top + row
          while readCount <= min(position + shift.y, format.size.height - 1) {
            readCount += try source.readRows(at: readCount, into: planes)
          }
          let luma = planes.row(position, ofPlane: 0) + (area.left - outer.left)
          for index in chroma.indices {
            let (near, far) = chroma[index].lines(for: area.top + row)
            func line(_ line: Int) -> UnsafePointer<UInt8> {
              UnsafePointer(planes.row(line - outer.top >> shift.y, ofPlane: index + 1)) - (outer.left >> shift.x)
            }
            chroma[index].read(line(near), line(far))
          }
          let target = pixels + row * area.width
          if chroma.isEmpty {
            for column in 0..<area.width {
              target[column] = (UInt32(luma[column]) &* 0x0001_0101 | 0xFF00_0000).littleEndian
            }
          } else {
            chroma[0].withSamples { blue in
              chroma[1].withSamples { YCbCr.convert(luma, blue, $0, count: area.width, into: target) }
            }
          }
        }
      }
    } catch {
      guard source.isUnusual else { throw error }
      return nil
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
  private let shift: (x: Int, y: Int)
  private let whole: PixelSize
  /// The columns of the plane that the area needs.
  private let columns: Range<Int>
  /// Weighted sums of two lines, four times their mean, between copies of the first and the last one.
  private var sums: [UInt16]
  private var samples: [UInt8]
  /// The place of the area in the samples.
  private let start: Int

  /// - Parameter whole: The size of the plane.
  init(_ area: PixelArea, shift: (x: Int, y: Int), of whole: PixelSize) {
    (self.shift, self.whole) = (shift, whole)
    let end = (area.left + area.width - 1) >> shift.x + 1 + shift.x
    columns = max(0, area.left >> shift.x - shift.x)..<min(whole.width, end)
    sums = Array(repeating: 0, count: columns.count + 2)
    samples = Array(repeating: 0, count: columns.count << shift.x)
    start = area.left - columns.lowerBound << shift.x
  }

  /// The line of the plane that is nearest to a row of luma, and the next one.
  func lines(for row: Int) -> (near: Int, far: Int) {
    let near = row >> shift.y
    return (near, shift.y == 0 ? near : max(0, min(whole.height - 1, near + (row & 1 == 0 ? -1 : 1))))
  }

  /// Interpolates two lines, which start at the left edge of the image.
  mutating func read(_ near: UnsafePointer<UInt8>, _ far: UnsafePointer<UInt8>) {
    let (near, far, count) = (near + columns.lowerBound, far + columns.lowerBound, columns.count)
    samples.withUnsafeMutableBytes { samples in
      guard shift.x == 1, let pairs = samples.assumingMemoryBound(to: UInt16.self).baseAddress else {
        return samples.copyMemory(from: UnsafeRawBufferPointer(start: near, count: count))
      }
      sums.withUnsafeMutableBufferPointer { sums in
        guard let sums = sums.baseAddress else { return }
        if shift.y == 0 {
          for index in 0..<count { sums[index &+ 1] = UInt16(near[index]) &* 4 }
        } else {
          for index in 0..<count { sums[index &+ 1] = UInt16(near[index]) &* 3 &+ UInt16(far[index]) }
        }
        (sums[0], sums[count + 1]) = (sums[1], sums[count])
        // Rounded up and down in turn.
        let (even, odd): (UInt16, UInt16) = shift.y == 0 ? (4, 8) : (8, 7)
        for index in 0..<count {
          let middle = sums[index &+ 1] &* 3
          let first = (middle &+ sums[index] &+ even) &>> 4
          let second = (middle &+ sums[index &+ 2] &+ odd) &>> 4
          pairs[index] = (first | second &<< 8).littleEndian
        }
      }
    }
  }

  /// The samples of the area.
  func withSamples(_ body: (UnsafePointer<UInt8>) -> Void) {
    samples.withUnsafeBufferPointer { if let first = $0.baseAddress { body(first + start) } }
  }
}

/// The conversion of JFIF, in libjpeg's whole numbers of 16 bits of fraction.
private enum YCbCr {
  /// Factors without their whole part have 16 bits, with which processors without newer instructions multiply several numbers.
  static func convert(
    _ luma: UnsafePointer<UInt8>, _ blue: UnsafePointer<UInt8>, _ red: UnsafePointer<UInt8>, count: Int,
    into pixels: UnsafeMutablePointer<UInt32>
  ) {
    for column in 0..<count {
      let (y, cb, cr) = (Int16(luma[column]), Int16(blue[column]) &- 128, Int16(red[column]) &- 128)
      let r = level(y &+ cr &+ product(cr, 26_345))
      // Both products are rounded together.
      let sum = Int32(cb) &* -22_554 &+ Int32(cr) &* 18_734
      let g = level(y &- cr &+ Int16(truncatingIfNeeded: (sum &+ 32_768) &>> 16))
      let b = level(y &+ 2 &* cb &+ product(cb, -14_942))
      pixels[column] = (r | g &<< 8 | b &<< 16 | 0xFF00_0000).littleEndian
    }
  }

  /// A product without its fraction, rounded.
  @inline(__always)
  private static func product(_ value: Int16, _ factor: Int32) -> Int16 {
    (Int16(truncatingIfNeeded: (Int32(2 &* value) &* factor) &>> 16) &+ 1) &>> 1
  }

  @inline(__always)
  private static func level(_ value: Int16) -> UInt32 { UInt32(UInt16(bitPattern: max(0, min(255, value)))) }
}
#endif
