import Foundation

/// A gain map that is applied to the rows of a picture, one after the other.
package struct GainMapRows {
  /// How the rows of the picture represent colours.
  package enum Layout: Sendable {
    /// Four bytes a pixel, with full alpha.
    case rgba
    /// Four bytes a pixel, of which the colours are multiplied by alpha.
    case rgbaPremultiplied
    /// Three bytes a pixel, as in JFIF: their red, green and blue are not rounded to bytes.
    case yCbCr
  }

  /// The two rows or columns of a map around a row or a column of the picture, and the weight of the second.
  package typealias Place = (first: Int, second: Int, share: Float)

  /// The steps of ``factors`` between two samples of 8 bits.
  private static let stepCount: Float = 16
  private static let factorCount = 255 * Int(stepCount) + 1

  private let size: PixelSize
  private let mapSize: PixelSize
  private let layout: Layout
  /// Whether one factor applies to red, green and blue.
  private let isGrey: Bool
  /// The linear light of bytes, or of the steps of ``YCbCrLight``.
  private let light: [Float]
  private let chroma: [Int32]
  /// The factors of the samples, of colours first of red, then of green and blue.
  private let factors: [Float]
  private let offsetSDR: SIMD4<Float>
  /// The fourth element makes an alpha of 1.
  private let offsetHDR: SIMD4<Float>
  /// The picture's primaries in Display P3; `nil` if it has these.
  private let primaries: (red: SIMD4<Float>, green: SIMD4<Float>, blue: SIMD4<Float>, alpha: SIMD4<Float>)?
  private let columns: [(index: Int32, share: Float)]
  /// The samples of a grey map at the current row in steps, and the distance of each to the next.
  private var greys: [SIMD2<Float>]
  /// The samples of a map of colours in steps, each followed by its distance to the next.
  private var colors: [SIMD4<Float>]

  /// - Parameters:
  ///   - isGrey: Whether red, green and blue of all samples are equal.
  ///   - mapSize: The size of the map.
  ///   - picture: The layout, the size and the colour space of the picture.
  ///   - headroom: That of the screen in stops. Default: the whole gain applies.
  package init(
    _ parameters: GainMap.Parameters, isGrey: Bool, mapSize: PixelSize,
    of picture: (layout: Layout, size: PixelSize, colorSpace: ColorSpace), headroom: Double = .infinity
  ) {
    (layout, size, self.mapSize) = (picture.layout, picture.size, mapSize)
    self.isGrey = isGrey && parameters.isGrey
    light = layout == .yCbCr ? YCbCrLight.light : SRGBTransferFunction.lights
    chroma = layout == .yCbCr ? YCbCrLight.chroma : []
    let channels = self.isGrey ? 0..<1 : 0..<3
    factors = channels.flatMap { Self.factors(parameters, channel: $0, weight: parameters.weight(headroom: headroom)) }
    offsetSDR = SIMD4(SIMD3<Float>(parameters.offsetSDR), 0)
    offsetHDR = SIMD4(SIMD3<Float>(parameters.offsetHDR), -1)
    primaries = Self.primaries(of: picture.colorSpace)
    columns = (0..<size.width).map { [size] column in
      let place = Self.place(column, of: size.width, in: mapSize.width)
      return (Int32(place.first), place.share)
    }
    greys = Array(repeating: .zero, count: self.isGrey ? mapSize.width : 0)
    colors = Array(repeating: .zero, count: self.isGrey ? 0 : 2 * mapSize.width)
  }

  private static func factors(_ parameters: GainMap.Parameters, channel: Int, weight: Double) -> [Float] {
    (0..<factorCount).map { step in
      let sample = pow(Double(step) / Double(factorCount - 1), 1 / parameters.gamma[channel])
      let stops = parameters.gainMin[channel] * (1 - sample) + parameters.gainMax[channel] * sample
      return Float(exp2(stops * weight))
    }
  }

  private static func primaries(
    of space: ColorSpace
  ) -> (red: SIMD4<Float>, green: SIMD4<Float>, blue: SIMD4<Float>, alpha: SIMD4<Float>)? {
    guard space != .displayP3 else { return nil }
    let matrix = ColorMatrix(from: space.chromaticities, to: .displayP3)
    func column(_ index: Int) -> SIMD4<Float> { SIMD4(matrix.red[index], matrix.green[index], matrix.blue[index], 0) }
    return (column(0), column(1), column(2), SIMD4(0, 0, 0, 1))
  }

  private static func place(_ index: Int, of count: Int, in mapCount: Int) -> Place {
    let position = (Double(index) + 0.5) * Double(mapCount) / Double(count) - 0.5
    let clamped = min(max(position, 0), Double(mapCount - 1))
    let first = min(Int(clamped), mapCount - 1)
    return (first, min(first + 1, mapCount - 1), Float(clamped - Double(first)))
  }

  /// The rows of the map that a row of the picture needs.
  package func place(ofRow row: Int) -> Place { Self.place(row, of: size.height, in: mapSize.height) }

  /// Interpolates between two rows of the map, four bytes a sample, for the rows of the picture that are written next.
  package mutating func setMap(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer, share: Float) {
    let first = first.assumingMemoryBound(to: SIMD4<UInt8>.self)
    let second = second.assumingMemoryBound(to: SIMD4<UInt8>.self)
    // From right to left, since each sample needs the next one.
    var isLast = true
    if isGrey {
      var next: Float = 0
      greys.withUnsafeMutableBufferPointer { greys in
        for column in greys.indices.reversed() {
          let (above, below) = (Float(first[column].x), Float(second[column].x))
          let sample = (above + (below - above) * share) * Self.stepCount
          greys[column] = SIMD2(sample, isLast ? 0 : next - sample)
          (next, isLast) = (sample, false)
        }
      }
    } else {
      var next = SIMD4<Float>.zero
      colors.withUnsafeMutableBufferPointer { colors in
        for column in (0..<colors.count / 2).reversed() {
          let (above, below) = (first[column].numbers, second[column].numbers)
          let sample = (above + (below - above) * share) * Self.stepCount
          colors[2 &* column] = sample
          colors[2 &* column &+ 1] = isLast ? .zero : next - sample
          (next, isLast) = (sample, false)
        }
      }
    }
  }

  /// Writes a row of half floats.
  ///
  /// - Parameter row: A row of the picture in its layout.
  package func write(_ row: UnsafePointer<UInt8>, into output: UnsafeMutablePointer<SIMD4<UInt16>>) {
    let pixels = UnsafeRawPointer(row).assumingMemoryBound(to: UInt32.self)
    light.withUnsafeBufferPointer { light in
      chroma.withUnsafeBufferPointer { chroma in
        switch layout {
        case .rgba:
          write(into: output) { column in
            let pixel = UInt32(littleEndian: pixels[column])
            let color = SIMD4(light[Int(pixel & 255)], light[Int(pixel &>> 8 & 255)], light[Int(pixel &>> 16 & 255)], 0)
            return (color, 1)
          }
        case .rgbaPremultiplied:
          write(into: output) { column in
            let pixel = UInt32(littleEndian: pixels[column])
            let alpha = Int(pixel >> 24)
            func straight(_ shift: UInt32) -> Float {
              light[min((Int(pixel >> shift & 255) * 255 + alpha / 2) / max(alpha, 1), 255)]
            }
            return (SIMD4(straight(0), straight(8), straight(16), 0), Float(alpha) / 255)
          }
        case .yCbCr:
          write(into: output) { column in (YCbCrLight.color(row + 3 &* column, light, chroma), 1) }
        }
      }
    }
  }

  @inline(__always)
  private func write(
    into output: UnsafeMutablePointer<SIMD4<UInt16>>, _ pixel: (Int) -> (color: SIMD4<Float>, opacity: Float)
  ) {
    factors.withUnsafeBufferPointer { factors in
      columns.withUnsafeBufferPointer { columns in
        if isGrey {
          greys.withUnsafeBufferPointer { greys in
            write(into: output, pixel) { column in
              let (index, share) = columns[column]
              let sample = greys[Int(index)]
              return SIMD4(repeating: factors[Self.nearest(sample.x + sample.y * share)])
            }
          }
        } else {
          colors.withUnsafeBufferPointer { colors in
            write(into: output, pixel) { column in
              let (index, share) = columns[column]
              let steps = colors[2 &* Int(index)] + colors[2 &* Int(index) &+ 1] * share
              return SIMD4(
                factors[Self.nearest(steps.x)], factors[Self.nearest(steps.y) &+ Self.factorCount],
                factors[Self.nearest(steps.z) &+ 2 &* Self.factorCount], 0)
            }
          }
        }
      }
    }
  }

  @inline(__always)
  private func write(
    into output: UnsafeMutablePointer<SIMD4<UInt16>>, _ pixel: (Int) -> (color: SIMD4<Float>, opacity: Float),
    factor: (Int) -> SIMD4<Float>
  ) {
    for column in 0..<size.width {
      let (color, opacity) = pixel(column)
      var light = (color + offsetSDR) * factor(column) - offsetHDR
      if let primaries {
        light = primaries.red * light.x + primaries.green * light.y + primaries.blue * light.z + primaries.alpha
      }
      output[column] = HalfFloat.bits(light * opacity)
    }
  }

  /// The nearest integer to a positive number, which is left in the lowest bits by adding 2^23.
  @inline(__always)
  private static func nearest(_ number: Float) -> Int { Int((number + 8_388_608).bitPattern & 0x7F_FFFF) }
}

/// The linear light of YCbCr as JFIF defines it, of red, green and blue that are not rounded to bytes.
private enum YCbCrLight {
  /// The steps of ``light`` between two bytes.
  private static let stepCount = 8
  /// The bits of fractions of a step.
  private static let shift: Int32 = 10
  /// The largest amount that chroma adds to luma, or subtracts from it.
  private static let chromaLimit = 227

  /// From the darkest luma with the most negative chroma to the brightest with the most positive, clamped.
  static let light = (-chromaLimit * stepCount...(255 + chromaLimit) * stepCount).map { step in
    Float(SRGBTransferFunction.light(min(max(Double(step) / Double(255 * stepCount), 0), 1)))
  }

  /// The contributions of Cr to red and green, and of Cb to green and blue, in fractions of a step, from the start of
  /// ``light`` on.
  static let chroma: [Int32] = {
    let unit = Double(stepCount << shift)
    func table(_ factor: Double, _ start: Double) -> [Int32] {
      (0...255).map { Int32(((factor * Double($0 - 128) + start) * unit).rounded()) }
    }
    let start = Double(chromaLimit) + 0.5 / Double(stepCount)
    return table(1.402, start) + table(-0.714_136, 0) + table(-0.344_136, start) + table(1.772, start)
  }()

  @inline(__always)
  static func color(
    _ pixel: UnsafePointer<UInt8>, _ light: UnsafeBufferPointer<Float>, _ chroma: UnsafeBufferPointer<Int32>
  ) -> SIMD4<Float> {
    let luma = Int32(pixel[0]) &<< (shift &+ 3)
    let (cb, cr) = (Int(pixel[1]), Int(pixel[2]))
    let red = luma &+ chroma[cr]
    let green = luma &+ chroma[256 &+ cr] &+ chroma[512 &+ cb]
    let blue = luma &+ chroma[768 &+ cb]
    return SIMD4(light[Int(red &>> shift)], light[Int(green &>> shift)], light[Int(blue &>> shift)], 0)
  }
}

extension GainMap.Parameters {
  /// Whether the parameters of samples are equal for red, green and blue.
  fileprivate var isGrey: Bool {
    [gainMin, gainMax, gamma].allSatisfy { $0 == SIMD3(repeating: $0.x) }
  }
}

extension SIMD4<UInt8> {
  @inline(__always)
  fileprivate var numbers: SIMD4<Float> { SIMD4<Float>(Float(x), Float(y), Float(z), Float(w)) }
}
