import HalcyonProcessing
import Foundation
import Halcyon
import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

@Suite(.integrationTest)
struct TrimTests {
  /// A blue rectangle of 20 by 10 pixels at (10, 5) on a background of 60 by 40.
  private func scene(_ background: [UInt8] = [250, 250, 250, 255], noise: Bool = false) throws -> Bitmap {
    try Bitmap(size: PixelSize(width: 60, height: 40), isOpaque: background[3] == 255) { bytes in
      for index in 0..<60 * 40 {
        let (x, y) = (index % 60, index / 60)
        let isInside = (10..<30).contains(x) && (5..<15).contains(y) || noise && (x, y) == (50, 30)
        let color: [UInt8] = isInside ? [0, 0, 255, 255] : background
        for channel in 0..<4 { bytes[index * 4 + channel] = color[channel] }
      }
    }
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
