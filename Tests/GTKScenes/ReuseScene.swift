#if GTK
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK
import HalcyonTestSupport

/// Views whose image is replaced faster than images load, as in a list that scrolls fast.
@MainActor
enum ReuseScene {
  private static let stepCount = 10_000
  private static let imageCount = 40

  static func play(_ stage: Stage) async throws {
    try await ImageServer.run { server in
      let colors = (0..<imageCount).map { Color(red: 5 + $0 * 6, green: 255 - $0 * 6, blue: $0 % 2 * 255) }
      let urls = try colors.enumerated().map { number, color in
        let reply = Reply.body(try SolidImage.png(color, width: 20, height: 20))
        return server.serve("/\(number).png") { _ in
          usleep(UInt32.random(in: 0..<4000))
          return number % 10 == 9 ? .status(404) : reply
        }
      }
      try await scroll(stage, urls: urls, colors: colors)
    }
  }

  private static func scroll(_ stage: Stage, urls: [URL], colors: [Color]) async throws {
    var random = SystemRandomNumberGenerator()
    let pipeline = ViewScenes.pipeline()
    var pictures: [UnsafeMutablePointer<GtkWidget>] = []
    for _ in 0..<12 { pictures.append(try await stage.addPicture(width: 20, height: 20)) }
    var expected = [Int?](repeating: nil, count: pictures.count)
    var completions = [Int](repeating: 0, count: stepCount)
    for step in 0..<stepCount {
      let (view, image) = (
        Int.random(in: 0..<pictures.count, using: &random), Int.random(in: 0..<urls.count, using: &random)
      )
      var request = ImageRequest(url: urls[image])
      // Every other request bypasses the memory cache.
      if step % 2 == 0 { request.memoryAccess = .writeOnly }
      expected[view] = image
      pictures[view].hc.setImage(with: request, pipeline: pipeline) { _ in completions[step] += 1 }
      if step % 7 == 0 { await Task.yield() }
      if step % 50 == 0 {
        await stage.nextFrame()
        try check(stage, pictures, expected, colors)
      }
    }
    try await stage.until("all have ended") { pictures.allSatisfy { !$0.hc.isLoading } }
    try check(stage, pictures, expected, colors)
    let wrong = completions.indices.filter { completions[$0] != 1 }
    try stage.require(
      wrong.isEmpty,
      "\(wrong.count) of \(stepCount) completions were not called once: \(wrong.prefix(9).map { completions[$0] })")
  }

  /// Checks that each view shows the image that was set last, or nothing.
  private static func check(
    _ stage: Stage, _ pictures: [UnsafeMutablePointer<GtkWidget>], _ expected: [Int?], _ colors: [Color]
  ) throws {
    for (picture, image) in zip(pictures, expected) {
      let color = try stage.screenshot(of: picture).color(x: 0.5, y: 0.5)
      let isRight = color == .clear || image.map { color.isNear(colors[$0], tolerance: 3) } == true
      try stage.require(isRight, "a view of \(image.map { "\(colors[$0])" } ?? "nothing") shows \(color)")
    }
  }
}
#endif
