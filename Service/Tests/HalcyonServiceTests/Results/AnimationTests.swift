import Foundation
import Halcyon
import HalcyonCodecs
import HalcyonService
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Results with several frames.
@Suite(.integrationTest)
struct AnimationTests {
  private static let durations = [50, 120, 200, 1000]

  /// Four quadrants, which exchange their places from frame to frame.
  private static func gif(width: Int = 80, height: Int = 60, loopCount: Int? = 3) throws -> Data {
    let still = try Quadrants.bitmap(width: width, height: height)
    let turns: [[any ImageProcessor]] = [
      [], [.flip(.horizontal)], [.flip(.vertical)], [.rotate(degrees: 180)],
    ]
    let frames = try zip(turns, durations).map { turn, milliseconds in
      AnimationFrame(
        bitmap: try DecodedImage(bitmap: still).processed(by: turn).bitmap, duration: .milliseconds(milliseconds))
    }
    return try StandardCodecs.gif(frames, loopCount: loopCount)
  }

  /// The letters of the corners of each frame, and how the animation plays.
  private func frames(
    _ answer: RunningService.Answer
  ) async throws -> (corners: [String], milliseconds: [Int], size: PixelSize, loopCount: Int?) {
    let image = try await DecodedImage(data: answer.body)
    guard let animation = image.animation else { return ([image.bitmap.corners], [], image.size, 1) }
    var (corners, milliseconds): ([String], [Int]) = ([], [])
    for try await frame in animation.frames {
      corners.append(frame.bitmap.corners)
      milliseconds.append(Int(frame.duration / .milliseconds(1)))
      #expect(frame.bitmap.size == image.size)
    }
    return (corners, milliseconds, image.size, animation.loopCount)
  }

  private func run(
    _ change: (inout ServiceConfiguration) -> Void = { _ in },
    _ body: (RunningService, URL) async throws -> Void
  ) async throws {
    try await RunningService.run {
      ($0.animationFrameLimit, $0.allowsSecurityOptions) = (100, true)
      change(&$0)
    } body: { service, origin in
      try await body(service, origin.serve("/a.gif", .body(try Self.gif())))
    }
  }

  @Test(arguments: ["gif", "webp", "avif"])
  func `a result keeps the frames, the durations and the loops of its source`(format: String) async throws {
    try await run { service, source in
      let answer = try await service.image("rs:fit:40:40/q:90", of: source, as: format)
      #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/\(format)")
      let frames = try await frames(answer)
      #expect(frames.corners == ["rgbw", "grwb", "bwrg", "wbgr"])
      #expect(frames.milliseconds == Self.durations)
      #expect(frames.size == PixelSize(width: 40, height: 30) && frames.loopCount == 3)
    }
  }

  @Test(arguments: [
    ("rs:fill:30:60/g:we", ["rrbb", "ggww", "bbrr", "wwgg"]), ("c:30:20:nowe", ["rrrr", "gggg", "bbbb", "wwww"]),
    ("rot:90", ["brwg", "wgbr", "rbgw", "gwrb"]), ("rs:fit:100:60/ex:1:we", ["r.b.", "g.w.", "b.r.", "w.g."]),
    ("pd:0:20:0:0/bg:0000ff", ["rbbb", "gbwb", "bbrb", "wbgb"]), ("br:-255", ["kkkk", "kkkk", "kkkk", "kkkk"]),
    ("t:10/rs:fit:40:40", ["rgbw", "grwb", "bwrg", "wbgr"]),
  ])
  func `each option applies to every frame`(options: String, corners: [String]) async throws {
    try await run { service, source in
      let answer = try await service.image(options, of: source, as: "gif")
      #expect(answer.status == 200, "\(answer.text)")
      #expect(try await frames(answer).corners == corners)
    }
  }

  @Test func `a smart crop is the same in every frame`() async throws {
    try await run { service, source in
      for options in ["rs:fill:30:60/g:sm", "c:30:60:sm"] {
        let corners = try await frames(try await service.image(options, of: source, as: "gif")).corners
        // The quadrants move within the same window.
        let sides = corners.map { Set($0).count }
        #expect(corners.count == 4 && Set(sides).count == 1, "\(corners)")
      }
    }
  }

  @Test func `frames beyond the limit are left out, and one is a still image`() async throws {
    try await run { service, source in
      let two = try await frames(try await service.image("maf:2", of: source, as: "webp"))
      #expect(two.corners == ["rgbw", "grwb"] && two.milliseconds == [50, 120] && two.loopCount == 3)
      #expect(try await frames(try await service.image("maf:1", of: source, as: "webp")).corners == ["rgbw"])
    }
    try await run {
      $0.animationFrameLimit = 1
    } _: { service, source in
      let still = try await frames(try await service.image("", of: source, as: "gif"))
      #expect(still.corners == ["rgbw"])
    }
  }

  @Test func `the pixels of all frames are limited together, or those of each`() async throws {
    try await run {
      $0.limits.pixelCount = 80 * 60 * 3
    } _: { service, source in
      let all = try await service.image("", of: source, as: "gif")
      #expect(all.status == 422 && all.text.contains("The 4 frames of the source have 80x60 pixels"), "\(all.text)")
      #expect(try await service.image("maf:3", of: source, as: "gif").status == 200)
      // A still image has one of them.
      #expect(try await service.image("", of: source, as: "png").status == 200)
      #expect(try await service.image("mafr:0.005", of: source, as: "gif").status == 200)
      let each = try await service.image("mafr:0.004", of: source, as: "gif")
      #expect(each.status == 422 && each.text.contains("max_animation_frame_resolution"), "\(each.text)")
    }
    // As the options say, or else the configuration.
    for (limit, status) in [(80 * 60, 200), (80 * 60 - 1, 422)] {
      try await run {
        ($0.limits.pixelCount, $0.animationPixelLimit) = (80 * 60 * 3, limit)
      } _: { service, source in
        let result = try await service.image("", of: source, as: "gif")
        #expect(result.status == status)
        let allowed = try await service.image("mafr:0.005", of: source, as: "gif")
        #expect(allowed.status == 200)
      }
    }
  }

  @Test func `without a format an animation is GIF, or WebP for clients that accept it`() async throws {
    try await run {
      $0.automaticFormats = [.avif, .webp]
    } _: { service, source in
      let expected = [
        ("image/avif,image/webp,*/*", "image/webp"), ("image/avif", "image/gif"), ("*/*", "image/gif"),
      ]
      for (accept, type) in expected {
        let answer = try await service.image("", of: source, as: nil, ["Accept": accept])
        #expect(answer.headers["Content-Type"] == type, "\(accept)")
        #expect(try await frames(answer).corners.count == 4)
      }
      let still = try await service.image("maf:1", of: source, as: nil, ["Accept": "image/avif,image/webp"])
      #expect(still.headers["Content-Type"] == "image/avif")
      // Formats that cannot be animated have the first frame.
      #expect(try await frames(try await service.image("", of: source, as: "png")).corners == ["rgbw"])
    }
  }

  @Test func `an animation is made once, and limited to a number of bytes`() async throws {
    try await run { service, source in
      let first = try await service.image("q:95", of: source, as: "webp")
      await service.service.flush()
      let second = try await service.image("q:95", of: source, as: "webp")
      #expect(first.body == second.body && second.headers["Cache-Status"]?.contains("hit") == true)
      let small = try await service.image("q:95/mb:\(first.body.count - 100)", of: source, as: "webp")
      #expect(small.status == 200 && small.body.count <= first.body.count - 100)
      #expect(try await frames(small).milliseconds == Self.durations)
    }
  }

  @Test func `without a format an animation stays one, also where that of its source is not preferred`() async throws {
    try await RunningService.run {
      $0.animationFrameLimit = 100
    } body: { service, origin in
      let gif = origin.serve("/a.gif", .body(try Self.gif()))
      let webp = origin.serve("/a.webp", .body(try await service.image("", of: gif, as: "webp").body))
      let answer = try await service.image("", of: webp, as: nil)
      #expect(answer.headers["Content-Type"] == "image/gif")
      #expect(try await frames(answer).corners.count == 4)
      #expect(try await service.get("/info/_/plain/\(webp.absoluteString)").text.contains("\"frames\":4"))
    }
  }

  @Test func `a cut animation is an error`() async throws {
    try await RunningService.run {
      $0.animationFrameLimit = 100
    } body: { service, origin in
      let file = try Self.gif()
      let source = origin.serve("/a.gif", .body(file.prefix(file.count * 2 / 3)))
      #expect(try await service.image("", of: source, as: "webp").status == 422)
    }
  }
}
