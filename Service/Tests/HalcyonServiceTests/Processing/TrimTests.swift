import Foundation
import Halcyon
import HalcyonImaging
import HalcyonProcessing
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

@Suite(.integrationTest)
struct TrimTests {
  /// A blue rectangle of 20 by 10 pixels on a light background of 60 by 40.
  private func scene() throws -> Bitmap {
    let background = try Bitmap(size: PixelSize(width: 60, height: 40), isOpaque: true) {
      $0.initializeMemory(as: UInt8.self, repeating: 255)
    }
    let rectangle = try Bitmap(size: PixelSize(width: 20, height: 10), isOpaque: true) { bytes in
      for index in bytes.indices { bytes[index] = index % 4 < 2 ? 0 : 255 }
    }
    return try BuiltInProcessor.watermark(rectangle, at: CropAnchor(x: 0.25, y: 0.2)).process(background)
  }

  @Test func `sizes follow from what is left`() async throws {
    try await RunningService.run { service, origin in
      let source = origin.serve("/a.png", .body(try await DecodedImage(bitmap: scene()).encoded(as: .png)))
      for (options, size) in [
        ("t:10", [20, 10]), ("t:10/w:10", [10, 5]), ("rot:90/t:10", [10, 20]), ("t:10/c:5:5", [5, 5]),
        ("t:", [60, 40]),
        ("t:10/rs:fill:4:4", [4, 4]), ("t:255", [60, 40]), ("t:10/pd:1", [22, 12]),
      ] {
        let answer = try await service.image(options, of: source)
        #expect(answer.status == 200, "\(options) \(answer.text)")
        let bitmap = try answer.bitmap()
        #expect([bitmap.size.width, bitmap.size.height] == size, "\(options)")
      }
      let large = try await service.image("t:10/rs:force:9000:9000:1", of: source)
      #expect(large.status == 400 && large.text.contains("9000"))
    }
  }
}
