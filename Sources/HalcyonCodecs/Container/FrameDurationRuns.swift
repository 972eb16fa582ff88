/// The durations of the frames of an image sequence, as runs of frames with the same one (ISO/IEC 14496-12, 8.6.1.2).
struct FrameDurationRuns: Hashable {
  private struct Run: Hashable {
    var frameCount: Int
    var seconds: Double
  }

  private var runs: [Run] = []

  /// The runs in a `mdia` box; none if it is damaged.
  init(media: Bytes?) {
    guard let media, let header = media.box("mdhd"),
      let scale = header.unsigned32(at: header[0] == 1 ? 20 : 12), scale > 0,
      let table = media.box("minf")?.box("stbl")?.box("stts"), let count = table.unsigned32(at: 4)
    else { return }
    for index in 0..<count {
      guard let frameCount = table.unsigned32(at: 8 + 8 * index), let duration = table.unsigned32(at: 12 + 8 * index)
      else { return }
      runs.append(Run(frameCount: frameCount, seconds: Double(duration) / Double(scale)))
    }
  }

  /// The duration of a frame in seconds; 0 if the file states none.
  func seconds(ofFrame index: Int) -> Double {
    var start = 0
    for run in runs {
      start += run.frameCount
      if index < start { return run.seconds }
    }
    return 0
  }
}
