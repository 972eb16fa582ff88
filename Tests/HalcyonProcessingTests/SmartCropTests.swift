import HalcyonCodecs
import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonProcessing

@Suite(.unitTest)
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

  @Test(arguments: [
    "rs:fill:40:40/g:sm", "rs:fill:40:100/g:sm", "c:100:100:sm", "c:100:100/g:sm/w:50", "rs:fill:600:300:1/g:sm",
    "c:400:400/rs:fill:100:50/g:sm", "rot:90/rs:fill:50:100/g:sm", "fl:1/c:0.25:0.25:sm", "t:10/g:sm/rs:fill:20:20",
  ])
  func `what attracts attention is kept, wherever the image is cropped`(text: String) throws {
    // In the upper right of the lower half.
    let scene = try scene(redAt: 320)
    let options = try OptionParser().options(text.split(separator: "/").map(String.init)).options
    #expect(try hasRed(ProcessingPlan(options, source: scene.size).applied(to: scene)))
  }

  @Test(arguments: [
    "rs:fill:40:100/g:sm", "c:100:100:sm", "c:100:100:sm/w:50", "c:200:400:sm/rs:fill:20:80/g:sm",
    "rot:90/rs:fill:100:40/g:sm", "t:10/c:100:100:sm",
  ])
  func `all frames of an animation are cropped where the first one is`(text: String) throws {
    let options = try OptionParser().options(text.split(separator: "/").map(String.init)).options
    let frames = [try scene(redAt: 320), try scene(redAt: 20)]
    for isAnimated in [true, false] {
      let plan = try ProcessingPlan(options, source: frames[0].size, isAnimated: isAnimated)
      let results = try frames.map { try plan.applied(to: $0) }
      #expect(try hasRed(results[0]))
      #expect(try hasRed(results[1]) == !isAnimated)
    }
  }

  @Test func `borders of animations are not removed`() throws {
    let options = try OptionParser().options(["t:10"]).options
    let scene = try scene(redAt: 320)
    for (isAnimated, width) in [(true, 400), (false, 40)] {
      let plan = try ProcessingPlan(options, source: scene.size, isAnimated: isAnimated)
      #expect(try plan.applied(to: scene).size.width == width)
    }
  }

  /// A red square on grey.
  private func scene(redAt left: Int) throws -> Bitmap {
    try Bitmap(size: PixelSize(width: 400, height: 400), isOpaque: true) { bytes in
      for index in 0..<400 * 400 {
        let isRed = (left..<left + 40).contains(index % 400) && (220..<260).contains(index / 400)
        for (channel, value) in (isRed ? [220, 40, 40, 255] : [60, 60, 60, 255] as [UInt8]).enumerated() {
          bytes[index * 4 + channel] = value
        }
      }
    }
  }

  private func hasRed(_ bitmap: Bitmap) throws -> Bool {
    (0..<bitmap.size.pixelCount).contains { index in
      let pixel = bitmap[index % bitmap.size.width, index / bitmap.size.width]
      return pixel.red > 150 && pixel.green < 90
    }
  }
}
