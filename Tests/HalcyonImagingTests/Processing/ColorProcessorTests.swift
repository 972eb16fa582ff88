import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct ColorProcessorTests {
  private let bitmap = try? Bitmap(rows: [[Pixel(200, 100, 50, 255), Pixel(100, 50, 25, 128), .zero]])

  private func result(_ processor: some ImageProcessor) throws -> [Pixel] {
    try processor.process(#require(bitmap)).rows[0]
  }

  @Test func `inversion respects premultiplied alpha`() throws {
    #expect(try result(.invert) == [Pixel(55, 155, 205, 255), Pixel(28, 78, 103, 128), .zero])
  }

  @Test func `brightness multiplies and clips at white`() throws {
    #expect(try result(.brightness(2))[0] == Pixel(255, 200, 100, 255))
    #expect(try result(.brightness(0)) == [Pixel(0, 0, 0, 255), Pixel(0, 0, 0, 128), .zero])
  }

  @Test func `contrast pivots at middle grey`() throws {
    #expect(try result(.contrast(2))[0] == Pixel(255, 73, 0, 255))
    #expect(try result(.contrast(0))[0] == Pixel(128, 128, 128, 255))
  }

  @Test func `greyscale uses the Rec. 709 luma weights`() throws {
    #expect(try result(.grayscale) == [Pixel(118, 118, 118, 255), Pixel(59, 59, 59, 128), .zero])
    let primaries = try Bitmap(rows: [[Pixel(255, 0, 0, 255), Pixel(0, 255, 0, 255), Pixel(0, 0, 255, 255)]])
    #expect(try BuiltInProcessor.saturation(0).process(primaries).reds == [54, 182, 18])
  }

  @Test func `saturation moves colours away from grey`() throws {
    #expect(try result(.saturation(1.5))[0] == Pixel(241, 91, 16, 255))
  }

  @Test func `one stop doubles linear light`() throws {
    // 188 in sRGB is half of the linear light of 255.
    #expect(try BuiltInProcessor.exposure(stops: 1).process(Bitmap(grays: [188, 0, 255])).reds == [255, 0, 255])
    #expect(try BuiltInProcessor.exposure(stops: -1).process(Bitmap(grays: [255, 0])).reds == [188, 0])
  }

  @Test func `a tint replaces the colour and keeps alpha`() throws {
    let green = PixelColor(red: 0, green: 255, blue: 0)
    #expect(try result(.tint(green)) == [Pixel(0, 255, 0, 255), Pixel(0, 128, 0, 128), .zero])
  }

  @Test func `an overlay is clipped by alpha`() throws {
    let half = PixelColor(red: 0, green: 0, blue: 255, alpha: 51)
    #expect(try result(.overlay(half)) == [Pixel(160, 80, 91, 255), Pixel(80, 40, 46, 128), .zero])
    let multiplied = try result(.overlay(PixelColor(red: 255, green: 0, blue: 51), blendMode: .multiply))
    #expect(multiplied[0] == Pixel(200, 0, 10, 255))
  }

  @Test func `the description of a colour includes its alpha`() {
    #expect(PixelColor(red: 255, green: 128, blue: 0).description == "#ff8000ff")
    #expect(PixelColor.clear.description == "#00000000")
  }
}
