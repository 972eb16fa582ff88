import Foundation
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonImaging
@testable import HalcyonPipeline

@Suite(.unitTest)
struct StoragePolicyTests {
  private let renderer = Renderer(
    encoders: [LabelEncoder(format: .png), LabelEncoder(format: .jpeg), LabelEncoder(format: .webp)],
    limits: ImageLimits())

  private func label(_ image: DecodedImage, _ policy: StoragePolicy) throws -> String? {
    try policy.encoding.flatMap { try renderer.encoded(image, as: $0) }.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `automatic stores PNG with alpha, JPEG without, and the original data of animations`() throws {
    #expect(try label(still(alpha: 255, isOpaque: true), .automatic) == "jpeg 0.8")
    #expect(try label(still(alpha: 100, isOpaque: false), .automatic) == "png 0.8")
    // The pixels decide, not the flag.
    #expect(try label(still(alpha: 255, isOpaque: false), .automatic) == "jpeg 0.8")
    let animated = try NumberedFramesDecoder(frameCount: 3).image(from: Data(), options: DecodingOptions())
    #expect(try label(animated, .automatic) == nil)
  }

  @Test func `an explicit format is used as given`() throws {
    let image = try still(alpha: 100, isOpaque: false)
    #expect(StoragePolicy.original.encoding == nil)
    #expect(try label(image, .encoded(as: .webp, quality: 0.5)) == "webp 0.5")
  }

  private func still(alpha: UInt8, isOpaque: Bool) throws -> DecodedImage {
    let size = PixelSize(width: 1, height: 1)
    let bitmap = try Bitmap(size: size, isOpaque: isOpaque) { $0.copyBytes(from: [0, 0, 0, alpha]) }
    return DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, storedSize: size))
  }
}

/// Writes the name of its format, and the quality.
private struct LabelEncoder: ImageEncoder {
  let format: ImageFormat

  func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    Data("\(format.rawValue) \(options.quality)".utf8)
  }
}
