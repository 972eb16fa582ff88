import Foundation
import Halcyon
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

@Suite(.integrationTest)
struct SmartCropTests {
  /// Where libvips 8.17 places crops by `attention`.
  @Test(
    arguments: [
      ("astronaut.jpg", 256, 256, 256, 240), ("astronaut.jpg", 256, 512, 80, 0), ("astronaut.jpg", 512, 170, 0, 27),
      ("coffee.jpg", 300, 200, 74, 62), ("coffee.jpg", 200, 400, 162, 0), ("coffee.jpg", 600, 200, 0, 62),
      ("hubble_deep_field.jpg", 300, 261, 300, 147), ("hubble_deep_field.jpg", 261, 523, 339, 0),
      ("hubble_deep_field.jpg", 600, 200, 0, 194), ("retina.jpg", 705, 705, 0, 265), ("retina.jpg", 1411, 470, 0, 382),
      ("rocket.jpg", 320, 213, 260, 214), ("rocket.jpg", 213, 427, 274, 0), ("rocket.jpg", 640, 213, 0, 214),
      ("chelsea.png", 225, 150, 226, 150), ("chelsea.png", 150, 300, 277, 0), ("chelsea.png", 451, 150, 0, 65),
    ] as [(String, Int, Int, Int, Int)])
  func `photographs are cropped where libvips crops them`(
    photo: String, width: Int, height: Int, left: Int, top: Int
  ) async throws {
    let bitmap = try await DecodedImage(data: try Photos.data(photo)).bitmap
    let size = PixelSize(width: width, height: height)
    let position = try SmartCropProcessor(size).position(width: width, height: height, in: bitmap)
    // Its reduced image has 32 pixels a side.
    #expect(abs(position.left - left) <= bitmap.size.width / 32 + 1, "\(position)")
    #expect(abs(position.top - top) <= bitmap.size.height / 32 + 1, "\(position)")
  }

  /// A red square on grey, in the upper right of the lower half.
  private func scene() async throws -> Data {
    let bitmap = try Bitmap(size: PixelSize(width: 400, height: 400), isOpaque: true) { bytes in
      for index in 0..<400 * 400 {
        let isRed = (320..<360).contains(index % 400) && (220..<260).contains(index / 400)
        let color: [UInt8] = isRed ? [220, 40, 40, 255] : [60, 60, 60, 255]
        for channel in 0..<4 { bytes[index * 4 + channel] = color[channel] }
      }
    }
    return try await DecodedImage(bitmap: bitmap).encoded(as: .png)
  }

  @Test(arguments: [
    "rs:fill:40:40/g:sm", "rs:fill:40:100/g:sm", "c:100:100:sm", "c:100:100/g:sm/w:50", "rs:fill:600:300:1/g:sm",
    "c:400:400/rs:fill:100:50/g:sm", "rot:90/rs:fill:50:100/g:sm", "fl:1/c:0.25:0.25:sm", "t:10/g:sm/rs:fill:20:20",
  ])
  func `what attracts attention is kept, wherever the image is cropped`(options: String) async throws {
    try await RunningService.run { service, origin in
      let source = origin.serve("/a.png", .body(try await scene()))
      let answer = try await service.image(options, of: source)
      #expect(answer.status == 200, "\(answer.text)")
      let bitmap = try answer.bitmap()
      let reds = (0..<bitmap.size.pixelCount).filter { index in
        let pixel = bitmap[index % bitmap.size.width, index / bitmap.size.width]
        return pixel.red > 150 && pixel.green < 90
      }
      #expect(!reds.isEmpty, "\(options)")
    }
  }
}
