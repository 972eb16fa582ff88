import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

/// Sizes that are filled by enlarging, and around what attracts attention.
@Suite(.unitTest)
struct FillTests {
  /// A red square on grey, at the right of the lower half.
  private func scene(red side: Int = 40) throws -> Bitmap {
    try Bitmap(size: PixelSize(width: 400, height: 200), isOpaque: true) { bytes in
      for index in 0..<400 * 200 {
        let isRed = (320..<320 + side).contains(index % 400) && (120..<120 + side).contains(index / 400)
        let color: [UInt8] = isRed ? [220, 40, 40, 255] : [60, 60, 60, 255]
        for channel in 0..<4 { bytes[index * 4 + channel] = color[channel] }
      }
    }
  }

  private func reds(in bitmap: Bitmap) -> Int {
    (0..<bitmap.size.pixelCount).count { index in
      let pixel = bitmap[index % bitmap.size.width, index / bitmap.size.width]
      return pixel.red > 150 && pixel.green < 90
    }
  }

  @Test(arguments: [ImageFormat.png, .jpeg])
  func `a smart anchor keeps what attracts attention`(format: ImageFormat) async throws {
    let file = try await DecodedImage(bitmap: scene()).encoded(as: format)
    for (width, height) in [(100, 100), (50, 50), (40, 100), (300, 20)] {
      let smart = try await DecodedImage(data: file, size: .fill(width: width, height: height, anchor: .smart))
      #expect(smart.size == PixelSize(width: width, height: height))
      #expect(reds(in: smart.bitmap) > 10, "\(width)x\(height)")
      let center = try await DecodedImage(data: file, size: .fill(width: width, height: height))
      #expect(reds(in: center.bitmap) < reds(in: smart.bitmap), "\(width)x\(height)")
    }
  }

  @Test func `all frames are cropped like the first`() async throws {
    let frames = [try scene(), try scene(red: 10), try scene(red: 80)].map {
      AnimationFrame(bitmap: $0, duration: .milliseconds(100))
    }
    let file = try StandardCodecs.gif(frames)
    let image = try await DecodedImage(data: file, size: .fill(width: 60, height: 100, anchor: .smart))
    #expect(image.size == PixelSize(width: 60, height: 100))
    let animation = try #require(image.animation)
    var counts: [Int] = []
    for try await frame in animation.frames {
      #expect(frame.bitmap.size == image.size)
      counts.append(reds(in: frame.bitmap))
    }
    #expect(counts.count == 3 && counts[1] > 0 && counts[1] < counts[0] && counts[0] < counts[2])
  }

  @Test func `a box is filled by enlarging only where that is asked for`() async throws {
    let file = try await DecodedImage(bitmap: scene()).encoded(as: .png)
    for anchor in [CropAnchor.center, .smart, .right] {
      let enlarged = try await DecodedImage(
        data: file, size: .fill(width: 500, height: 500, anchor: anchor, enlarges: true))
      #expect(enlarged.size == PixelSize(width: 500, height: 500))
      let smaller = try await DecodedImage(data: file, size: .fill(width: 500, height: 500, anchor: anchor))
      #expect(smaller.size == PixelSize(width: 200, height: 200))
    }
  }

  @Test func `sizes with other anchors and sizes that enlarge are other images`() {
    let sizes: [TargetSize] = [
      .fill(width: 5, height: 5), .fill(width: 5, height: 5, anchor: .smart),
      .fill(width: 5, height: 5, enlarges: true), .fill(width: 5, height: 5, anchor: .smart, enlarges: true),
      .fill(width: 5, height: 5, anchor: .top),
    ]
    #expect(Set(sizes).count == sizes.count && Set(sizes.map(\.description)).count == sizes.count)
  }
}
