import Foundation
import HalcyonCore
import Testing

struct StorageFormatTests {
  @Test func `alpha is kept as PNG, an opaque picture as JPEG, an animation as it came`() throws {
    let automatic = StorageFormat.automatic
    #expect(
      automatic.action(for: try still(alpha: 255, isOpaque: true)) == .encode(.jpeg, EncodingOptions(quality: 0.8)))
    #expect(automatic.action(for: try still(alpha: 100, isOpaque: false)) == .encode(.png, EncodingOptions()))
    // Only the pixels tell.
    #expect(
      automatic.action(for: try still(alpha: 255, isOpaque: false)) == .encode(.jpeg, EncodingOptions(quality: 0.8)))
    let animated = try FlipBook(frameCount: 3).image(from: Data(), options: DecodingOptions())
    #expect(automatic.action(for: animated) == .keepOriginal)
  }

  @Test func `a choice is taken as it is`() throws {
    let image = try still(alpha: 100, isOpaque: false)
    #expect(StorageFormat.original.action(for: image) == .keepOriginal)
    #expect(
      StorageFormat.format(.webp, quality: 0.5).action(for: image) == .encode(.webp, EncodingOptions(quality: 0.5)))
  }

  private func still(alpha: UInt8, isOpaque: Bool) throws -> DecodedImage {
    let size = PixelSize(width: 1, height: 1)
    let bitmap = try Bitmap(size: size, isOpaque: isOpaque) { $0.copyBytes(from: [0, 0, 0, alpha]) }
    return DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, storedSize: size))
  }
}
