import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct GainMapGeometryTests {
  /// A picture of 80x60 pixels whose red is the column and green is the row, and its map of a quarter of the size.
  private static func pair() throws -> (Bitmap, GainMap) {
    func bitmap(_ width: Int, _ height: Int) throws -> Bitmap {
      try Bitmap(size: PixelSize(width: width, height: height), isOpaque: true) { bytes in
        for index in 0..<width * height {
          let (column, row) = (index % width, index / width)
          let values = [(2 * column + 1) * 40 / width * 3, (2 * row + 1) * 40 / height * 3, 0, 255]
          for channel in 0..<4 { bytes[4 * index + channel] = UInt8(values[channel]) }
        }
      }
    }
    return (try bitmap(80, 60), GainMap(try bitmap(20, 15), isGrey: false, GainMap.Parameters()))
  }

  private static let processors: [BuiltInProcessor] = [
    .crop(x: 8, y: 12, width: 40, height: 24), .crop(width: 33, height: 17, anchor: CropAnchor(x: 1, y: 1)),
    .flip(.horizontal), .flip(.vertical), .rotate(degrees: 90), .rotate(degrees: 180), .rotate(degrees: 270),
  ]

  @Test(arguments: processors) func `a map shows the same part as its picture`(_ processor: BuiltInProcessor) throws {
    let (bitmap, map) = try Self.pair()
    let image = DecodedImage(
      bitmap: bitmap, facts: DecodedImage(bitmap: bitmap).facts, animation: nil, gainMap: map)
    let processed = try Renderer(encoders: [], limits: ImageLimits()).processed(image, by: [processor])
    let result = try #require(processed.gainMap?.bitmap)
    #expect(processed.info.droppedContent.isEmpty && processor.keepsDynamicRange)
    for (x, y) in [(0.1, 0.1), (0.9, 0.2), (0.3, 0.8), (0.85, 0.9)] {
      func color(_ bitmap: Bitmap) -> (Int, Int) {
        let pixel = bitmap[Int(x * Double(bitmap.size.width)), Int(y * Double(bitmap.size.height))]
        return (Int(pixel.red), Int(pixel.green))
      }
      let (shown, mapped) = (color(processed.bitmap), color(result))
      // A sample of the map covers four pixels, each of them three levels.
      #expect(abs(shown.0 - mapped.0) <= 12 && abs(shown.1 - mapped.1) <= 12, "\(shown) \(mapped)")
    }
  }

  @Test func `a picture that is still referred to keeps its pixels when a map is applied`() throws {
    // More than one of the parts that are discarded.
    let size = PixelSize(width: 1024, height: 1024)
    let bitmap = try Bitmap(size: size, isOpaque: true) { $0.initializeMemory(as: UInt8.self, repeating: 255) }
    let map = try Self.pair().1
    let applied = try map.applied(to: bitmap)
    #expect(bitmap.withUnsafeBytes { bytes in bytes.allSatisfy { $0 == 255 } })
    #expect(
      try map.applied(
        to: Bitmap(size: size, isOpaque: true) {
          $0.initializeMemory(as: UInt8.self, repeating: 255)
        }
      ).withUnsafeBytes { one in applied.withUnsafeBytes { one.elementsEqual($0) } })
  }

  @Test func `a map is dropped where colours change, and stays where nothing does`() throws {
    let (bitmap, map) = try Self.pair()
    let image = DecodedImage(
      bitmap: bitmap, facts: DecodedImage(bitmap: bitmap).facts, animation: nil, gainMap: map)
    let renderer = Renderer(encoders: [], limits: ImageLimits())
    for processor in [BuiltInProcessor.blur(radius: 2), .rotate(degrees: 30), .padding(top: 4)] {
      let processed = try renderer.processed(image, by: [processor])
      #expect(processed.gainMap == nil && processed.info.droppedContent == [.gainMap], "\(processor)")
      #expect(!processor.keepsDynamicRange)
    }
    for processor in [BuiltInProcessor.rotate(degrees: 0), .background(.white), .crop(width: 80, height: 60)] {
      #expect(try renderer.processed(image, by: [processor]).gainMap?.bitmap.size == map.bitmap.size, "\(processor)")
    }
    #expect(try renderer.processed(image, by: [Kept()]).gainMap === map)
  }

  /// Says that it changes details only.
  private struct Kept: ImageProcessor {
    let identifier = "kept"
    let keepsDynamicRange = true

    func process(_ bitmap: Bitmap) throws -> Bitmap { try bitmap.converted(to: .displayP3) }
  }

  private func light(_ bitmap: Bitmap, _ column: Int, _ row: Int) -> SIMD4<Float> {
    bitmap.withUnsafeBytes { bytes in
      let pixel = bytes.bindMemory(to: SIMD4<UInt16>.self)[row * bitmap.size.width + column]
      return SIMD4(
        HalfFloat.number(pixel.x), HalfFloat.number(pixel.y), HalfFloat.number(pixel.z), HalfFloat.number(pixel.w))
    }
  }

  /// The least and the largest gain and the exponent of red, green and blue, and the light of white at a sample of 51.
  private static let differences: [(gainMin: [Double], gainMax: [Double], gamma: [Double], light: [Float])] = [
    ([0, 0, 0], [0, 5, 10], [1, 1, 1], [1, 2, 4]), ([0, 1.25, 2.5], [0, 0, 0], [1, 1, 1], [1, 2, 4]),
    ([0, 0, 0], [5, 5, 5], [1, 1, 0.5], [2, 2, 1.149]),
  ]

  @Test(arguments: differences.indices)
  func `a grey map may make colours brighter by different factors`(_ index: Int) throws {
    let (gainMin, gainMax, gamma, expected) = Self.differences[index]
    let size = PixelSize(width: 2, height: 2)
    let white = try Bitmap(size: size, isOpaque: true, colorSpace: .displayP3) { bytes in
      bytes.initializeMemory(as: UInt8.self, repeating: 255)
    }
    let samples = try Bitmap(size: size, isOpaque: true) { bytes in
      for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : 51 }
    }
    var parameters = GainMap.Parameters()
    (parameters.offsetSDR, parameters.offsetHDR, parameters.capacityMax) = (.zero, .zero, 4)
    (parameters.gainMin, parameters.gainMax, parameters.gamma) = (SIMD3(gainMin), SIMD3(gainMax), SIMD3(gamma))
    let applied = try GainMap(samples, isGrey: true, parameters).applied(to: white)
    let found = light(applied, 1, 1)
    for channel in 0..<3 {
      #expect(abs(found[channel] / expected[channel] - 1) < 0.01, "\(found) instead of \(expected)")
    }
  }

  @Test func `half floats are cropped, turned and resized`() throws {
    let size = PixelSize(width: 40, height: 30)
    let bitmap = try Bitmap(size: size, isOpaque: true, dynamicRange: .high) { bytes in
      let pixels = bytes.bindMemory(to: SIMD4<UInt16>.self)
      for index in pixels.indices {
        pixels[index] = HalfFloat.bits(SIMD4(Float(index % 40), Float(index / 40), 3, 1))
      }
    }
    #expect(bitmap.byteCount == 40 * 30 * 8 && bitmap.description == "40x30, opaque, high dynamic range, 9600 bytes")
    let cropped = try BuiltInProcessor.crop(x: 3, y: 5, width: 10, height: 8).process(bitmap)
    #expect(light(cropped, 0, 0) == SIMD4(3, 5, 3, 1) && cropped.dynamicRange == .high)
    let turned = try BuiltInProcessor.rotate(degrees: 90).process(bitmap)
    #expect(light(turned, 0, 0) == SIMD4(0, 29, 3, 1) && turned.size == size.transposed)
    let mirrored = try BuiltInProcessor.flip(.horizontal).process(bitmap)
    #expect(light(mirrored, 0, 2) == SIMD4(39, 2, 3, 1))
    let filtered = try BuiltInProcessor.saturation(0).process(bitmap)
    #expect(filtered.dynamicRange == .standard && filtered.size == size)
  }

  @Test func `half floats have the nearest value`() {
    for (number, bits) in [(Float(1), UInt16(0x3C00)), (-2, 0xC000), (65_504, 0x7BFF), (0, 0), (0.5, 0x3800)] {
      #expect(HalfFloat.bits(number) == bits && HalfFloat.number(bits) == number)
    }
    #expect(HalfFloat.bits(Float(1e9)) == 0x7BFF && HalfFloat.bits(Float.nan) == 0x7BFF)
    #expect(HalfFloat.bits(Float(1) + 1 / 2048) == 0x3C00 && HalfFloat.bits(Float(1) + 3 / 2048) == 0x3C02)
    #expect(HalfFloat.number(1) > 0 && HalfFloat.bits(HalfFloat.number(1)) == 1)
    for bits in stride(from: UInt16(0), to: 0x7C00, by: 7) {
      let number = HalfFloat.number(bits)
      #expect(HalfFloat.bits(number) == bits)
      #expect(HalfFloat.bits(SIMD4(number, -number, 0, 1)) == SIMD4(bits, bits | 0x8000, 0, 0x3C00))
    }
  }

  @Test func `a map has full weight from the headroom that it states on`() {
    var parameters = GainMap.Parameters()
    (parameters.capacityMin, parameters.capacityMax) = (1, 3)
    #expect([0, 1, 2, 3, 9].map { parameters.weight(headroom: $0) } == [0, 0, 0.5, 1, 1])
    parameters.baseIsHDR = true
    #expect([0, 2, 9].map { parameters.weight(headroom: $0) } == [-1, -0.5, 0])
  }
}
