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
    try await play(try gif(loopCount: nil), in: [picture], stage)
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
    try await play(try gif(loopCount: nil), in: [picture], stage)
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

  static func shared(_ stage: Stage) async throws {
    let (first, second) = (try await stage.addPicture(), try await stage.addPicture())
    try await play(try gif(loopCount: nil), in: [first, second], stage)
    try await stage.until("both are drawn") { shownIndex(first, stage) != nil && shownIndex(second, stage) != nil }
    var seen: Set<Int> = []
    while seen.count < 4 {
      await stage.nextFrame()
      let (left, right) = (shownIndex(first, stage), shownIndex(second, stage))
      try stage.require(left == right, "one view shows frame \(left ?? -1), the other \(right ?? -1)")
      if let left { seen.insert(left) }
    }
  }

  static func loopCount(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    var events: [AnimationEvent] = []
    picture.hc.animation.onEvent = { events.append($0) }
    try await play(try gif(loopCount: 2), in: [picture], stage)
    guard let player = picture.hc.binder.driver?.player else { return }
    try await stage.until("it has finished") { events.last == .finished }
    // A busy machine shows only some frames of a loop.
    let loops = events.filter { if case .looped = $0 { true } else { false } }
    try stage.require(loops == [.looped(count: 1)], "the events are \(events)")
    try stage.require(player.index == 3 && player.nextFrameTime == nil, "it waits for another frame")
    let begin = await stage.nextFrame().time
    while await stage.nextFrame().time - begin < .milliseconds(300) {
      try stage.require(shownIndex(picture, stage) == 3, "it continued after its end")
    }
  }

  static func preloaded(_ stage: Stage) async throws {
    let picture = try await stage.addPicture()
    var request = ImageRequest(source: .data(try gif(loopCount: nil), key: "animation"))
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

  static func control(_ stage: Stage) async throws {
    let (first, second) = (try await stage.addPicture(), try await stage.addPicture())
    try await play(try gif(loopCount: nil), in: [first, second], stage)
    var events: [AnimationEvent] = []
    second.hc.animation.onEvent = { events.append($0) }
    try await stage.until("the second frame is shown") { shownIndex(second, stage) == 1 }
    second.hc.animation.pause()
    try await stage.until("the other view plays on") { shownIndex(first, stage) == 3 }
    try stage.require(shownIndex(second, stage) == 1, "the paused view shows frame \(shownIndex(second, stage) ?? -1)")
    second.hc.animation.stop()
    try await stage.until("the first frame is shown") { shownIndex(second, stage) == 0 }
    try stage.require(!second.hc.animation.isPlaying, "a stopped view plays")
    second.hc.animation.loopCount = .times(1)
    second.hc.animation.speed = 4
    events = []
    second.hc.animation.play()
    try await stage.until("it has finished") { events.last == .finished }
    try stage.require(events.first == .started, "the events are \(events)")
    try await stage.until("the last frame is shown") { shownIndex(second, stage) == 3 }
    try stage.require(first.hc.animation.isPlaying, "the other view has ended")
  }

  static func firstFrameOnly(_ stage: Stage) async throws {
    let (still, paused) = (try await stage.addPicture(), try await stage.addPicture())
    let file = try gif(loopCount: nil)
    try await play(file, in: [still], stage, AnimationPlayback(showsFirstFrameOnly: true))
    try await play(file, in: [paused], stage, AnimationPlayback(playsAutomatically: false))
    try stage.require(still.hc.animation.frameCount == 0, "the first frame is an animation")
    let begin = await stage.nextFrame().time
    while await stage.nextFrame().time - begin < .milliseconds(300) {
      let indices = [shownIndex(still, stage), shownIndex(paused, stage)]
      try stage.require(indices == [0, 0], "the views show frames \(indices)")
    }
    paused.hc.animation.play()
    try await stage.until("it plays") { shownIndex(paused, stage) == 2 }
  }

  static func play(
    _ data: Data, in pictures: [UnsafeMutablePointer<GtkWidget>], _ stage: Stage,
    _ playback: AnimationPlayback = AnimationPlayback()
  ) async throws {
    let pipeline = ViewScenes.pipeline()
    let outcome = Outcome()
    for picture in pictures {
      picture.hc.setImage(
        with: ImageRequest(source: .data(data, key: "animation")), options: ImageViewOptions(playback: playback),
        pipeline: pipeline, completion: outcome.take)
    }
    try await stage.until("it is loaded") { outcome.count == pictures.count }
    _ = try outcome.last?.get()
  }

  static func gif(loopCount: Int?) throws -> Data {
    let frames = try zip(colors, milliseconds).map { color, time in
      AnimationFrame(bitmap: try SolidImage.bitmap(color), duration: .milliseconds(time))
    }
    return try StandardCodecs.gif(frames, loopCount: loopCount)
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
