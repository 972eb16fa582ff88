import Foundation
import Halcyon
import HalcyonImaging
import HalcyonTestTraits
import Testing

/// Requests of a part of an image.
@Suite(.unitTest)
struct RegionRequestTests {
  /// Grey, with a square of fine squares near the left and one near the right.
  private func image() throws -> DecodedImage {
    DecodedImage(
      bitmap: try Bitmap(size: PixelSize(width: 240, height: 60), isOpaque: true) { bytes in
        for index in bytes.indices {
          let (x, y) = (index / 4 % 240, index / 960)
          let isDetail = (10..<40).contains(x) || (190..<220).contains(x)
          bytes[index] = index % 4 == 3 ? 255 : isDetail && (15..<45).contains(y) && (x / 3 + y / 3) % 2 == 0 ? 255 : 90
        }
      })
  }

  @Test(arguments: [(0, 120), (120, 120), (60, 180)])
  func `a smart crop of a region is that of an image that is the region`(left: Int, width: Int) async throws {
    let image = try image()
    let region = PixelArea(left: left, top: 0, width: width, height: 60)
    let size = TargetSize.fill(width: 20, height: 30, anchor: .smart)
    let part = DecodedImage(bitmap: try image.bitmap.with(BitmapGeometry(region)))
    let pipeline = ImagePipeline { $0.cache = ImageCache(disk: nil) }
    var request = ImageRequest(source: .data(try await image.encoded(as: .png)), size: size)
    request.region = region
    let cropped = try await pipeline.image(for: request).bitmap
    let expected = try await pipeline.image(
      for: ImageRequest(source: .data(try await part.encoded(as: .png)), size: size)
    )
    .bitmap
    #expect(cropped.size == PixelSize(width: 20, height: 30) && cropped.size == expected.size)
    let differences = (0..<600).map { index in
      abs(Int(cropped[index % 20, index / 20].red) - Int(expected[index % 20, index / 20].red))
    }
    #expect(differences.max() ?? 255 <= 2)
  }
}
