import Foundation
import Halcyon
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

@Suite(.integrationTest)
struct SmartCropTests {
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
