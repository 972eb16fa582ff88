import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct ImageLimitsTests {
  private let limits = ImageLimits(pixelCount: 200, sideLength: 50)

  @Test func `an image may have as many pixels and as long a side as the limits say, but no more`() {
    for size in [PixelSize(width: 50, height: 4), PixelSize(width: 4, height: 50)] {
      #expect(throws: Never.self) { try limits.check(size, format: .png) }
    }
    let (long, large) = (PixelSize(width: 1, height: 51), PixelSize(width: 41, height: 5))
    #expect(throws: ImageDecodingError.sideTooLong(long, limit: 50)) { try limits.check(long, format: .png) }
    #expect(throws: ImageDecodingError.tooManyPixels(large, limit: 200)) { try limits.check(large, format: .png) }
  }
}
