#if !IMAGEIO
import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs
@testable import HalcyonImaging

@Suite(.integrationTest)
struct HighDynamicRangeEncodingTests {
  private static let formats: [ImageFormat] = {
    var formats = [ImageFormat.png]
    #if AVIF
    formats.append(.avif)
    #endif
    #if JXL
    formats.append(.jpegXL)
    #endif
    return formats
  }()

  /// From black to 40 times white, with colours outside Display P3.
  private static func bitmap(isOpaque: Bool = true) throws -> Bitmap {
    try Bitmap.lit(64, 48, isOpaque: isOpaque) { column, row in
      let light = Float(column * column) / 100
      let alpha = isOpaque ? 1 : Float(row) / 47
      return SIMD4(light, light * (0.5 + Float(row) / 94), row < 8 ? -light / 200 : light / 2, 1) * alpha
    }
  }

  @Test(arguments: formats, [true, false])
  func `half floats come back from a file`(_ format: ImageFormat, isOpaque: Bool) throws {
    let bitmap = try Self.bitmap(isOpaque: isOpaque)
    let file = try DecodedImage(bitmap: bitmap).encoded(as: format, quality: 1)
    let image = try Self.decode(file)
    #expect(image.info.dynamicRange == .pq && image.info.hasAlpha == !isOpaque)
    let depths: [ImageFormat: Int] = [.png: 16, .avif: 10, .jpegXL: 12]
    #expect(image.info.bitDepth == depths[format])
    let bounds: [ImageFormat: Double] = [.png: 0.05, .avif: 1.5, .jpegXL: 0.3]
    let bound = try #require(bounds[format])
    let distance = isOpaque ? image.bitmap.levels(to: bitmap) : image.bitmap.translucentLevels(to: bitmap)
    #expect(distance <= bound, "\(distance)")
  }

  @Test(arguments: formats)
  func `a file is tone-mapped like the half floats`(_ format: ImageFormat) throws {
    let bitmap = try Self.bitmap()
    let file = try DecodedImage(bitmap: bitmap).encoded(as: format, quality: 1)
    var options = DecodingOptions(colorSpace: .displayP3)
    options.dynamicRange = .standard
    let mapped = try StandardCodecs.decoder(of: file).decode(file, options: options).bitmap
    let expected = try bitmap.inStandardRange()
    var sum = 0
    for index in 0..<64 * 48 {
      let distance = mapped.color(index % 64, index / 64) &- expected.color(index % 64, index / 64)
      sum += (0..<3).reduce(0) { $0 + abs(distance[$1]) }
    }
    // The box of AVIF for the luminances is written by newer versions of its library.
    #expect(format == .avif || sum / (3 * 64 * 48) <= 1, "\(Double(sum) / (3 * 64 * 48))")
  }

  @Test func `a PNG file states its colours and luminances`() throws {
    let bitmap = try Bitmap.lit(4, 2) { column, row in column == 0 && row == 0 ? SIMD4(4, 4, 4, 1) : SIMD4(1, 1, 1, 1) }
    let file = try DecodedImage(bitmap: bitmap).encoded(as: .png)
    file.withUnsafeBytes { buffer in
      var (chunks, contents) = (PNGChunks(Bytes(buffer)), [String: Bytes]())
      while let chunk = chunks.next() { contents[chunk.name] = Bytes(buffer)[chunk.content] }
      #expect(contents["cICP"].map { Array($0.buffer) } == [9, 16, 0, 1])
      #expect(contents["cLLI"]?.unsigned32(at: 0).map { abs($0 - 8_120_000) < 10_000 } == true)
      #expect(contents["cLLI"]?.unsigned32(at: 4).map { abs($0 - 203 * 11 * 10_000 / 8) < 10_000 } == true)
      #expect(contents["iCCP"] == nil && contents["sRGB"] == nil)
    }
  }

  @Test func `an interlaced PNG file has the same light`() throws {
    let bitmap = try Self.bitmap()
    let file = try PNGEncoder(isInterlaced: true).encode(bitmap, options: EncodingOptions())
    #expect(try Self.decode(file).bitmap.levels(to: bitmap) <= 0.05)
  }

  @Test func `numbers that no light has are written as the nearest light`() throws {
    let odd: [UInt16] = [0x7C00, 0xFC00, 0x7E00, 0x7BFF, 0x8000, 0x0001]
    let bitmap = try Bitmap(
      size: PixelSize(width: odd.count, height: 1), isOpaque: false, dynamicRange: .high
    ) { bytes in
      let pixels = bytes.bindMemory(to: SIMD4<UInt16>.self)
      for (index, bits) in odd.enumerated() {
        pixels[index] = SIMD4(bits, bits, bits, index == 2 ? bits : HalfFloat.one)
      }
    }
    for format in Self.formats {
      let light = try Self.decode(DecodedImage(bitmap: bitmap).encoded(as: format, quality: 1)).bitmap
      for column in odd.indices {
        #expect((0..<3).allSatisfy { (-1...65).contains(light.light(column, 0)[$0]) }, "\(light.light(column, 0))")
      }
    }
  }

  /// Bars, saturated patches and single pixels of 5 times white on dark grey.
  private static func edges() throws -> Bitmap {
    try Bitmap.lit(96, 64) { column, row in
      let isBright =
        column < 32 ? column / 4 % 2 == 0 : column < 64 ? row / 16 % 2 == 0 : (column * 7 + row * 13) % 31 == 0
      let (high, low) = (Float(5), Float(0.03))
      guard isBright else { return SIMD4(low, low, low, 1) }
      return (32..<64).contains(column) ? SIMD4(high, low, low, 1) : SIMD4(high, high, high, 1)
    }
  }

  @Test(arguments: formats + [.jpeg]) func `hard edges and saturated colours keep their light`(_ format: ImageFormat)
    throws
  {
    let bitmap = try Self.edges()
    let file = try DecodedImage(bitmap: bitmap).encoded(as: format, quality: 0.8)
    let image = try Self.decode(file).bitmap
    #expect(abs(image.peak - 5) < 0.25, "\(image.peak)")
    let (red, expected) = (image.light(48, 8), bitmap.light(48, 8))
    #expect(abs(log2(red.x / expected.x)) < 0.1 && red.y < 0.15 && red.z < 0.15, "\(red)")
    // Every lossy format changes the dark grey beside the edges, a hundredth of their light.
    let bounds: [ImageFormat: Float] = [.png: 0.001, .avif: 0.05, .jpegXL: 0.2, .jpeg: 0.3]
    let bound = try #require(bounds[format])
    #expect(image.meanStops(to: bitmap) < bound, "\(image.meanStops(to: bitmap))")
  }

  #if !IMAGEIO
  @Test func `a gain map has colours and details where they are needed, and not more bytes than the picture`() throws {
    func map(_ bitmap: Bitmap) throws -> GainMap {
      try #require(try GainMap.derived(from: bitmap, base: bitmap.inStandardRange()))
    }
    let detailed = try map(Self.edges())
    #expect(detailed.bitmap.size == PixelSize(width: 96, height: 64) && !detailed.isGrey)
    let smooth = try map(
      Bitmap.lit(96, 64) { column, _ in SIMD4(repeating: 1 + Float(column) / 40) * SIMD4(1, 1, 1, 0) + SIMD4(0, 0, 0, 1)
      }
    )
    #expect(smooth.bitmap.size == PixelSize(width: 48, height: 32) && smooth.isGrey)
    // Noise: the map of the whole size has more bytes than the picture.
    var state: UInt32 = 7
    let noise = try Bitmap.lit(96, 64) { _, _ in
      state = state &* 1_664_525 &+ 1_013_904_223
      return SIMD4(repeating: Float(state >> 24) / 40) * SIMD4(1, 1, 1, 0) + SIMD4(0, 0, 0, 1)
    }
    let file = try JPEGEncoder().encode(noise, gainMap: nil, options: EncodingOptions(quality: 0.3))
    let picture = try JPEGEncoder().encode(noise.inStandardRange(), options: EncodingOptions(quality: 0.3))
    #expect(file.count < 2 * picture.count + 2000, "\(file.count) of \(picture.count)")
  }
  #endif

  @Test func `a grey picture with a gain map has three channels, which readers of such files require`() throws {
    let light = try Bitmap.lit(64, 48) { column, _ in
      let light = Float(column * column) / 1000
      return SIMD4(light, light, light, 1)
    }
    let derived = try JPEGEncoder().encode(light, gainMap: nil, options: EncodingOptions())
    let base = try light.inStandardRange()
    let map = try #require(try GainMap.derived(from: light, base: base))
    let kept = try JPEGEncoder().encode(base, gainMap: map, options: EncodingOptions())
    for file in [derived, kept] {
      let info = try #require(try JPEGDecoder().probe(file, isComplete: true))
      #expect(info.colorModel == .yCbCr && info.dynamicRange != .standard)
    }
  }

  private static func decode(_ file: Data) throws -> DecodedImage {
    var options = DecodingOptions()
    options.dynamicRange = .high
    return try StandardCodecs.decoder(of: file).decode(file, options: options)
  }
}

extension Bitmap {
  /// As ``levels(to:)``, of pixels that are not nearly transparent, with straight colours.
  fileprivate func translucentLevels(to other: Bitmap) -> Double {
    let indices = (0..<size.pixelCount).filter { other.light($0 % size.width, $0 / size.width).w > 0.2 }
    let distances = indices.map { index in
      let (one, two) = (
        light(index % size.width, index / size.width), other.light(index % size.width, index / size.width)
      )
      return (one / one.w).levels(to: two / two.w)
    }
    return distances.reduce(0, +) / Double(distances.count)
  }
}
#endif
