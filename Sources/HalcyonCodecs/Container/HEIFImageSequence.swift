import HalcyonImaging

/// The track of an image sequence (ISO/IEC 14496-12, 8.3 to 8.7).
struct HEIFImageSequence {
  var size: PixelSize
  var frameCount: Int
  /// The number of times the animation plays; `nil` for endless.
  var loopCount: Int?
  /// How long each frame is shown, in the order of the frames.
  var durations: FrameDurationRuns
  var hasAlpha: Bool
  var hasDepth: Bool
  /// Where the last frame, or its alpha, ends in the file.
  var dataEnd: Int
  /// The first sample entry, which contains the same property boxes as an image item.
  var sampleEntry: Bytes?

  /// The image track of a `moov` box, or `nil` if there is none.
  init?(_ movie: Bytes) {
    let tracks = Box.boxes(in: movie).filter { $0.type == "trak" }.map(\.content)
    let imageTrack = tracks.first { ["pict", "vide"].contains(Self.handler($0)) }
    guard let track = imageTrack, let header = track.box("tkhd"),
      let table = track.box("mdia")?.box("minf")?.box("stbl"), let count = table.box("stsz")?.unsigned32(at: 8)
    else { return nil }
    let isLong = header[0] == 1
    guard let width = header.bits32(at: isLong ? 88 : 76), let height = header.bits32(at: isLong ? 92 : 80)
    else { return nil }
    size = PixelSize(width: Int(width >> 16), height: Int(height >> 16))
    frameCount = max(1, count)
    durations = FrameDurationRuns(media: track.box("mdia"))
    let auxiliaries = tracks.filter { Self.handler($0) == "auxv" }
    let alphas = auxiliaries.filter { Self.auxiliaryType($0).map(AuxiliaryType.alpha.contains) ?? true }
    hasAlpha = !alphas.isEmpty
    hasDepth = auxiliaries.contains { Self.auxiliaryType($0).map(AuxiliaryType.depth.contains) ?? false }
    dataEnd = ([track] + alphas).map(Self.dataEnd).max() ?? 0
    sampleEntry = table.box("stsd").flatMap { Box($0, at: 8)?.content }
    loopCount = Self.loopCount(track, trackDuration: Self.duration(header, at: isLong ? 28 : 20, isLong: isLong))
  }

  /// The boxes after the fixed fields of the sample entry.
  var properties: [Box] { sampleEntry.map { Array(Box.boxes(in: $0, from: 78)) } ?? [] }

  /// The type of an auxiliary track, if it states one.
  private static func auxiliaryType(_ track: Bytes) -> String? {
    let table = track.box("mdia")?.box("minf")?.box("stbl")
    let entry = table?.box("stsd").flatMap { Box($0, at: 8)?.content }
    return entry?.box("auxi", from: 78).map(AuxiliaryType.name)
  }

  private static func handler(_ track: Bytes) -> String? { track.box("mdia")?.box("hdlr")?.text(at: 8, count: 4) }

  /// The duration, or `nil` if the field says indefinite.
  private static func duration(_ bytes: Bytes, at offset: Int, isLong: Bool) -> UInt64? {
    if isLong { return bytes.bits64(at: offset).flatMap { $0 >> 62 == 0 ? $0 : nil } }
    return bytes.bits32(at: offset).flatMap { $0 == .max ? nil : UInt64($0) }
  }

  /// Where the samples of a track end: those of each chunk follow each other (ISO/IEC 14496-12, 8.7).
  private static func dataEnd(_ track: Bytes) -> Int {
    guard let table = track.box("mdia")?.box("minf")?.box("stbl"), let sizes = table.box("stsz"),
      let sampleCount = sizes.unsigned32(at: 8), let runs = table.box("stsc"), let runCount = runs.unsigned32(at: 4)
    else { return 0 }
    let (short, long) = (table.box("stco"), table.box("co64"))
    let sharedSize = sizes.unsigned32(at: 4) ?? 0
    var (end, run, sample, chunk) = (0, 0, 0, 0)
    while sample < sampleCount, let start = short?.unsigned32(at: 8 + 4 * chunk) ?? long?.unsigned64(at: 8 + 8 * chunk)
    {
      chunk += 1
      // Runs state the one-based number of their first chunk.
      while run + 1 < runCount, let next = runs.unsigned32(at: 8 + 12 * (run + 1)), next <= chunk { run += 1 }
      let count = min(runs.unsigned32(at: 8 + 12 * run + 4) ?? 0, sampleCount - sample)
      var position = start
      if sharedSize > 0 {
        let (byteCount, overflow) = count.multipliedReportingOverflow(by: sharedSize)
        position += overflow ? Bytes.largest : min(byteCount, Bytes.largest)
      } else {
        for index in sample..<sample + count {
          guard let size = sizes.unsigned32(at: 12 + 4 * index) else { return end }
          position = min(position + size, Bytes.largest)
        }
      }
      end = max(end, position)
      sample += count
    }
    return end
  }

  /// As in browsers: endless without an edit list (ISO/IEC 14496-12, 8.6.6).
  private static func loopCount(_ track: Bytes, trackDuration: UInt64?) -> Int? {
    guard let list = track.box("edts")?.box("elst"), let flags = list[3] else { return nil }
    guard flags & 1 == 1 else { return 1 }
    let isLong = list[0] == 1
    guard let trackDuration, let segment = duration(list, at: 8, isLong: isLong), segment > 0 else { return nil }
    return max(1, Int(clamping: (trackDuration + segment - 1) / segment))
  }
}
