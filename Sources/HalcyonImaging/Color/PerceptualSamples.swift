import HalcyonSupport

extension PerceptualQuantizer {
  private static let largestSample = 65_535.0
  /// The samples of the finite half floats from 0.
  private static let samples = (0..<UInt16(0x7C00)).map { bits in
    UInt16((value(Double(HalfFloat.number(bits))) * largestSample).rounded())
  }
  private static let toBT2020 = ColorMatrix(from: .displayP3, to: .bt2020)

  /// Converts premultiplied half floats of Display P3 to samples with 16 bits in BT.2020: red, green, blue and, if there
  /// are four channels, straight alpha.
  package static func convert(
    _ pixels: UnsafeRawPointer, count: Int, into target: UnsafeMutablePointer<UInt16>, channelCount: Int
  ) {
    let matrix = toBT2020
    samples.withUnsafeBufferPointer { samples in
      LightStrip.withStrip { strip in
        for start in stride(from: 0, to: count, by: LightStrip.count) {
          let columns = 0..<min(LightStrip.count, count - start)
          strip.readHalfFloats(pixels + start * 8, count: columns.count)
          strip.map { light, _ in matrix(light).map { Float(bitPattern: UInt32(HalfFloat.bits($0))) } }
          for column in columns {
            let (light, pixel) = (strip[column], target + (start &+ column) &* channelCount)
            pixel[0] = samples[Int(light.red.bitPattern)]
            pixel[1] = samples[Int(light.green.bitPattern)]
            pixel[2] = samples[Int(light.blue.bitPattern)]
            guard channelCount == 4 else { continue }
            let alpha = strip.factors[column].atLeast(0).atMost(1) * Float(largestSample)
            pixel[3] = UInt16(truncatingIfNeeded: alpha.inLowerBits.wholeNumber)
          }
        }
      }
    }
  }

  /// The brightest pixel, and the mean of all.
  fileprivate static func light(of samples: [UInt16], channelCount: Int) -> ContentLight {
    var (largest, sum) = (UInt16(0), 0.0)
    HighDynamicRange.Tables.finePQ.withUnsafeBufferPointer { light in
      for start in stride(from: 0, to: samples.count, by: channelCount) {
        let brightest = max(samples[start], samples[start + 1], samples[start + 2])
        largest = max(largest, brightest)
        sum += Double(light[Int(brightest)])
      }
    }
    let mean = sum / Double(samples.count / channelCount) * HighDynamicRange.referenceWhite
    let peak = Double(HighDynamicRange.Tables.finePQ[Int(largest)]) * HighDynamicRange.referenceWhite
    return ContentLight(contentPeak: peak, contentMean: mean)
  }
}

/// A bitmap of half floats as samples of PQ in BT.2020 with 16 bits, for files.
package struct PerceptualSamples {
  /// Red, green, blue and, unless the bitmap is opaque, straight alpha.
  package let values: [UInt16]
  package let channelCount: Int
  package let light: ContentLight

  /// - Throws: `CancellationError` once a pipeline needs the file no more.
  package init(_ bitmap: Bitmap) throws {
    let (size, channelCount) = (bitmap.size, bitmap.isOpaque ? 3 : 4)
    var values = [UInt16](repeating: 0, count: size.pixelCount * channelCount)
    try bitmap.withUnsafeBytes { bytes in
      try values.withUnsafeMutableBufferPointer { values in
        guard let pixels = bytes.baseAddress, let start = values.baseAddress else { return }
        for row in 0..<size.height {
          try CancellationFlag.checkCurrent(atRow: row)
          PerceptualQuantizer.convert(
            pixels + row * bitmap.bytesPerRow, count: size.width, into: start + row * size.width * channelCount,
            channelCount: channelCount)
        }
      }
    }
    (self.values, self.channelCount) = (values, channelCount)
    light = PerceptualQuantizer.light(of: values, channelCount: channelCount)
  }
}
