/// The durations of the frames of an image sequence, as runs of frames with the same one (ISO/IEC 14496-12, 8.6.1.2).
struct FrameDurationRuns: Hashable {
  private struct Run: Hashable {
    /// The number of frames up to its end.
    var end: Int
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
      let end = min((runs.last?.end ?? 0) + frameCount, Bytes.largest)
      runs.append(Run(end: end, seconds: Double(duration) / Double(scale)))
    }
  }

  /// The duration of a frame in seconds; 0 if the file states none.
  func seconds(ofFrame index: Int) -> Double {
    var range = runs.startIndex..<runs.endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = index < runs[middle].end ? range.lowerBound..<middle : middle + 1..<range.upperBound
    }
    return range.lowerBound < runs.endIndex ? runs[range.lowerBound].seconds : 0
  }
}
