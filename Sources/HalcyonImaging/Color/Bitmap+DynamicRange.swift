extension Bitmap {
  /// The picture as bytes in Display P3, tone-mapped as files with high dynamic range are; the bitmap itself if it has bytes
  /// already.
  ///
  /// Reads all pixels twice: the first time for the brightest one.
  ///
  /// - Throws: ``ImageDecodingError/outOfMemory(_:)``.
  public func inStandardRange() throws -> Bitmap {
    guard dynamicRange == .high else { return self }
    let mapper = ToneMapper(displayP3WithPeak: Double(peak) * HighDynamicRange.referenceWhite)
    return try Bitmap(size: size, isOpaque: isOpaque, colorSpace: .displayP3) { output in
      withUnsafeBytes { bytes in
        let halves = bytes.bindMemory(to: UInt16.self)
        guard let source = halves.baseAddress, let target = output.bindMemory(to: UInt8.self).baseAddress else {
          return
        }
        for row in 0..<size.height {
          let start = row * size.width * 4
          mapper.convert(halves: source + start, count: size.width, to: target + start)
        }
      }
    }
  }

  /// The largest channel of half floats, at least 1.
  package var peak: Float {
    withUnsafeBytes { bytes in
      bytes.bindMemory(to: SIMD4<UInt16>.self).reduce(1) { peak, pixel in
        max(peak, HalfFloat.number(pixel.x), HalfFloat.number(pixel.y), HalfFloat.number(pixel.z))
      }
    }
  }
}

extension ToneMapper {
  /// Of linear light of Display P3.
  ///
  /// - Parameter peak: The brightest luminance in cd/m².
  fileprivate convenience init(displayP3WithPeak peak: Double) {
    guard let range = HighDynamicRange(primaries: 12, transfer: HighDynamicRange.Transfer.pq.rawValue) else {
      preconditionFailure("PQ is a transfer function of high dynamic range")
    }
    self.init(range.with(ContentLight(contentPeak: peak)).mapped(to: .displayP3))
  }
}
