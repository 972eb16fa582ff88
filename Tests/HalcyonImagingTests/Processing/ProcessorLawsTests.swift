import HalcyonImaging
import HalcyonTestTraits
import Testing

/// Laws that every processor satisfies.
@Suite(.unitTest)
struct ProcessorLawsTests {
  @Test(arguments: SampleProcessors.all)
  func `no premultiplied component exceeds alpha`(_ processor: any ImageProcessor) throws {
    for bitmap in [try Bitmap.noise(width: 37, height: 23), try Bitmap.noise(width: 1, height: 5)] {
      let pixels = try processor.process(bitmap).rows.joined()
      #expect(pixels.allSatisfy { max($0.x, $0.y, $0.z) <= $0.w })
    }
  }

  @Test(arguments: SampleProcessors.all)
  func `a result marked as opaque is opaque`(_ processor: any ImageProcessor) throws {
    for isOpaque in [true, false] {
      let result = try processor.process(Bitmap.noise(width: 19, height: 18, isOpaque: isOpaque))
      #expect(!result.isOpaque || result.rows.joined().allSatisfy { $0.w == 255 })
    }
  }

  @Test(arguments: SampleProcessors.all)
  func `the input stays unchanged, and the result is deterministic`(_ processor: any ImageProcessor) throws {
    let bitmap = try Bitmap.noise(width: 20, height: 11)
    let rows = bitmap.rows
    let first = try processor.process(bitmap)
    #expect(bitmap.rows == rows)
    #expect(try processor.process(bitmap).rows == first.rows)
  }

  @Test func `different processors have different identifiers`() {
    let identifiers = SampleProcessors.all.map(\.identifier)
    #expect(Set(identifiers).count == identifiers.count)
  }

  @Test func `equal processors have equal identifiers`() {
    #expect(BuiltInProcessor.blur(radius: 4).identifier == BuiltInProcessor.blur(radius: 2 + 2).identifier)
    #expect(BuiltInProcessor.exposure(stops: -0.0).identifier == BuiltInProcessor.exposure(stops: 0).identifier)
    #expect(BuiltInProcessor.rotate(degrees: -90).identifier == BuiltInProcessor.rotate(degrees: 630).identifier)
    #expect(BuiltInProcessor.blur(radius: 0.1 + 0.2).identifier != BuiltInProcessor.blur(radius: 0.3).identifier)
  }

  @Test(arguments: SampleProcessors.withoutEffect)
  func `parameters without effect change no pixel`(_ processor: any ImageProcessor) throws {
    let bitmap = try Bitmap.noise(width: 21, height: 34)
    #expect(try processor.process(bitmap).rows == bitmap.rows)
  }

  @Test(arguments: SampleProcessors.invalid)
  func `invalid parameters are errors`(_ processor: any ImageProcessor) throws {
    let bitmap = try Bitmap.noise(width: 8, height: 8)
    let error = #expect(throws: ImageProcessingError.self) { try processor.process(bitmap) }
    #expect(error?.description.contains("Use a") == true)
  }

  @Test func `opaque images stay opaque unless corners become transparent`() throws {
    let bitmap = try Bitmap.noise(width: 16, height: 16, isOpaque: true)
    let processors: [any ImageProcessor] = [
      .blur(radius: 3), .border(width: 2, color: .black), .rotate(degrees: 180), .overlay(.white),
      .pixelate(blockSize: 3),
      .circle(background: .white),
    ]
    for processor in processors { #expect(try processor.process(bitmap).isOpaque, "\(processor.identifier)") }
  }
}
