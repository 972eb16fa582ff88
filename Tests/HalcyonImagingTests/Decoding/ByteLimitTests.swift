import HalcyonSupport
import HalcyonImaging
import Foundation
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct ByteLimitTests {
  /// Writes 100 to 1100 bytes, growing linearly with the quality, and records the qualities.
  private final class LinearEncoder: ImageEncoder {
    let format = ImageFormat.jpeg
    private let record = Lock<[Double]>([])
    var qualities: [Double] { record.withLock { $0 } }

    func encode(_ bitmap: Bitmap, options: EncodingOptions) -> Data {
      record.withLock { $0.append(options.quality) }
      return Data(repeating: 0, count: 100 + Int(options.quality * 1000))
    }
  }

  @Test(arguments: [100, 101, 350, 612, 899])
  func `the best quality that fits is found in at most eight encodes`(_ byteLimit: Int) throws {
    let encoder = LinearEncoder()
    let file = try encoder.encode(pixel(), options: EncodingOptions(quality: 0.8), byteLimit: byteLimit)
    #expect(file.count <= byteLimit && file.count > byteLimit - 14)
    #expect(encoder.qualities.count <= 8)
  }

  @Test func `an image that fits at the requested quality is encoded once`() throws {
    let encoder = LinearEncoder()
    let file = try encoder.encode(pixel(), options: EncodingOptions(quality: 0.8), byteLimit: 900)
    #expect(file.count == 900)
    #expect(encoder.qualities == [0.8])
  }

  @Test func `an image that never fits is an error with its size and the limit`() throws {
    let error = ImageEncodingError.overByteLimit(.jpeg, byteCount: 100, byteLimit: 99)
    #expect(throws: error) {
      try LinearEncoder().encode(pixel(), options: EncodingOptions(), byteLimit: 99)
    }
    #expect(error.description.contains("100") && error.description.contains("99"))
  }

  @Test func `a lossless file over the limit is an error, and not written again with losses`() throws {
    let encoder = LinearEncoder()
    #expect(throws: ImageEncodingError.overByteLimit(.jpeg, byteCount: 900, byteLimit: 500)) {
      try encoder.encode(pixel(), options: EncodingOptions(quality: 0.8, isLossless: true), byteLimit: 500)
    }
    #expect(encoder.qualities == [0.8])
  }

  private func pixel() throws -> Bitmap {
    try Bitmap(size: PixelSize(width: 1, height: 1), isOpaque: true) { _ in }
  }
}
