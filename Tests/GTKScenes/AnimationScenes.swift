#if GTK
import HalcyonCodecs
import CHalcyonGTK
import Foundation
import Halcyon
import HalcyonGTK

/// Animated images.
@MainActor
enum AnimationScenes {
  private static let colors = [Color.red, .green, .blue, Color(red: 255, green: 255, blue: 0)]
  private static let milliseconds = [70, 120, 200, 90]

  static func timing(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    try await play(in: picture, stage)
    // All frames are decoded after one loop.
    try await stage.until("the last frame is shown") { shownIndex(picture, stage) == 3 }
    var samples: [(time: Int, index: Int)] = []
    var begin: Duration?
    while samples.last.map({ $0.time < 1_500_000 }) ?? true {
      let frame = await stage.nextFrame()
      begin = begin ?? frame.time
      guard let begin, stage.isLast(frame), let index = shownIndex(picture, stage) else { continue }
      samples.append((Int((frame.time - begin) / .microseconds(1)), index))
    }
    // If any start time fits all samples, so does one at which a sample is the very beginning of its frame.
    let starts = samples.map { beginning(of: $0.index) - $0.time }
    let fits = starts.contains { start in samples.allSatisfy { expectedIndex(at: $0.time + start) == $0.index } }
    try stage.require(fits, "no start time of the animation fits the frames shown: \(samples)")
  }

  static func hidden(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    try await play(in: picture, stage)
    guard let player = picture.hc.binder.driver?.player else { return }
    try await stage.until("it plays") { player.index == 2 }
    gtk_widget_set_visible(picture, 0)
    let index = player.index
    let begin = await stage.nextFrame().time
    while await stage.nextFrame().time - begin < .milliseconds(600) {
      try stage.require(player.index == index, "a hidden animation continues")
    }
    try stage.require(player.byteCount == 0, "a hidden animation holds \(player.byteCount) bytes")
    gtk_widget_set_visible(picture, 1)
    try await stage.until("it resumes") { player.index == 3 }
    try await stage.until("it resumes") { player.index == 0 }
  }

  static func preloaded(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    var request = ImageRequest(source: .data(try gif(), key: "animation"))
    request.options.animation = .frames(preloaded: true)
    let pipeline = ViewScenes.pipeline()
    var byteCounts: [Int] = []
    for isInMemory in [false, true] {
      let outcome = Outcome()
      picture.hc.setImage(with: request, pipeline: pipeline, completion: outcome.take)
      try await stage.until("it is loaded") { outcome.count == 1 }
      guard let image = try outcome.last?.get().image, let player = picture.hc.binder.driver?.player else { return }
      let all = image.bitmap.byteCount * colors.count
      if isInMemory { try await stage.until("all frames are decoded", within: 200) { player.byteCount == all } }
      try stage.require(player.byteCount == all, "the player holds \(player.byteCount) of \(all) bytes")
      byteCounts.append(image.animation?.decodedFrames.byteCount ?? 0)
      picture.hc.setImage(with: nil as URL?, pipeline: pipeline)
    }
    try stage.require(Set(byteCounts).count == 1 && byteCounts[0] > 0, "shared frames have \(byteCounts) bytes")
  }

  /// Loads the animation, whose frames have one colour each.
  static func play(in picture: UnsafeMutablePointer<GtkWidget>, _ stage: Stage) async throws {
    let outcome = try await stage.load(ImageRequest(source: .data(try gif(), key: "animation")), in: picture)
    _ = try outcome.last?.get()
  }

  private static func gif() throws -> Data {
    let frames = try zip(colors, milliseconds).map { color, time in
      AnimationFrame(bitmap: try SolidImage.bitmap(color), duration: .milliseconds(time))
    }
    return try StandardCodecs.gif(frames)
  }

  private static func shownIndex(_ picture: UnsafeMutablePointer<GtkWidget>, _ stage: Stage) -> Int? {
    guard let color = try? stage.screenshot(of: picture).color(x: 0.5, y: 0.5) else { return nil }
    return colors.firstIndex { $0.isNear(color, tolerance: 8) }
  }

  /// The start of a frame in microseconds since the start of its loop.
  private static func beginning(of index: Int) -> Int { milliseconds[..<index].reduce(0, +) * 1000 }

  private static func expectedIndex(at time: Int) -> Int {
    let loop = beginning(of: milliseconds.count)
    let offset = (time % loop + loop) % loop
    return milliseconds.indices.last { beginning(of: $0) <= offset } ?? 0
  }
}
#endif
