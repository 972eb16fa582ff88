import Foundation
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonImaging
@testable import HalcyonPipeline

@Suite(.unitTest)
struct StoragePolicyTests {
  @Test func `automatic stores PNG with alpha, JPEG without, and the original data of animations`() throws {
    let automatic = StoragePolicy.automatic
    let opaque = try #require(automatic.encoding(of: try still(alpha: 255, isOpaque: true)))
    #expect(opaque == (.jpeg, EncodingOptions(quality: 0.8)))
    let transparent = try #require(automatic.encoding(of: try still(alpha: 100, isOpaque: false)))
    #expect(transparent == (.png, EncodingOptions()))
    // The pixels decide, not the flag.
    let opaquePixels = try #require(automatic.encoding(of: try still(alpha: 255, isOpaque: false)))
    #expect(opaquePixels == (.jpeg, EncodingOptions(quality: 0.8)))
    let animated = try NumberedFramesDecoder(frameCount: 3).image(from: Data(), options: DecodingOptions())
    #expect(automatic.encoding(of: animated) == nil)
  }

  @Test func `an explicit format is used as given`() throws {
    let image = try still(alpha: 100, isOpaque: false)
    #expect(StoragePolicy.original.encoding(of: image) == nil)
    let encoding = try #require(StoragePolicy.encoded(as: .webp, quality: 0.5).encoding(of: image))
    #expect(encoding == (.webp, EncodingOptions(quality: 0.5)))
  }

  private func still(alpha: UInt8, isOpaque: Bool) throws -> DecodedImage {
    let size = PixelSize(width: 1, height: 1)
    let bitmap = try Bitmap(size: size, isOpaque: isOpaque) { $0.copyBytes(from: [0, 0, 0, alpha]) }
    return DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, storedSize: size))
  }
}
