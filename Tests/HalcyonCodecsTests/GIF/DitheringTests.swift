import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.integrationTest)
struct DitheringTests {
  /// libvips 8.14 with libimagequant reaches 38.3 dB here, in 7,113 bytes.
  @Test func `a photograph in 256 colours is as close to the original as that of other encoders`() throws {
    let original = try PNGDecoder().decode(Fixture.data(Fixture.photo), options: DecodingOptions()).bitmap
    let file = try GIFEncoder().encode(original, options: EncodingOptions())
    let copy = try GIFDecoder().decode(file, options: DecodingOptions()).bitmap
    #expect(Self.noise(of: copy, original) > 37.8 && file.count < 7113)
  }

  @Test func `errors reach the row below`() throws {
    // One pixel wide: nothing else can be reached. The palette has a dark grey and white.
    let greys: [UInt8] =
      Array(repeating: 0, count: 60) + Array(repeating: 255, count: 20) + Array(repeating: 110, count: 20)
    let pixels: [UInt8] = greys.flatMap { [$0, $0, $0, 255] }
    let indices = try pixels.withUnsafeBufferPointer { pixels in
      var dithering = Dithering(ColorPalette(pixels, colorLimit: 2))
      return try dithering.indices(pixels, size: PixelSize(width: 1, height: 100))
    }
    #expect(Set(indices[..<60]) == [0] && Set(indices[60..<80]) == [1])
    #expect(Set(indices[80...]) == [0, 1])
  }

  /// The peak signal-to-noise ratio in decibels.
  private static func noise(of bitmap: Bitmap, _ original: Bitmap) -> Double {
    var squares = 0
    bitmap.withUnsafeBytes { bytes in
      original.withUnsafeBytes { others in
        for (byte, other) in zip(bytes, others) { squares += (Int(byte) - Int(other)) * (Int(byte) - Int(other)) }
      }
    }
    return 10 * log10(255 * 255 * Double(original.size.pixelCount * 3) / Double(squares))
  }
}
