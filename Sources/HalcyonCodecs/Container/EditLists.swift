import Foundation

/// Adds the number of plays to an image sequence, which libavif itself writes from version 1 on.
///
/// Each track gets an edit list that repeats it until its duration is over (ISO/IEC 14496-12, 8.6.6), and the offsets
/// of the data behind the tracks are adapted.
struct EditLists {
  private static let byteCount = 44

  private let playCount: UInt64
  private let growth: UInt32

  /// The file with edit lists.
  ///
  /// - Parameters:
  ///   - file: A file of libavif before version 1: no edit lists, and headers with long durations.
  ///   - playCount: How often it is played, at least 1.
  static func added(to file: Data, playCount: Int) -> Data {
    file.withUnsafeBytes { buffer in
      let bytes = Bytes(buffer)
      let tracks = Box.boxes(in: bytes.box("moov") ?? bytes[0..<0]).filter { $0.type == "trak" }
      guard !tracks.contains(where: { $0.content.box("edts") != nil }) else { return file }
      let lists = EditLists(playCount: UInt64(playCount), growth: UInt32(tracks.count * byteCount))
      return lists.rewritten(Box.boxes(in: bytes))
    }
  }

  private func rewritten(_ boxes: Boxes) -> Data {
    boxes.reduce(into: Data()) { output, box in
      let content = content(of: box)
      output += Self.header(box.type, byteCount: content.count) + content
      if box.type == "tkhd" { output += editList(duration: box.content.bits64(at: 28) ?? 0) }
    }
  }

  private func content(of box: Box) -> Data {
    switch box.type {
    case "moov", "trak", "mdia", "minf", "stbl": return rewritten(Box.boxes(in: box.content))
    // Begins with a version and flags.
    case "meta": return box.content[0..<4].data + rewritten(Box.boxes(in: box.content, from: 4))
    case "mvhd": return multiplied(box.content, at: 24)
    case "tkhd": return multiplied(box.content, at: 28)
    case "stco":
      return moved(box.content, at: (0..<(box.content.unsigned32(at: 4) ?? 0)).map { 8 + 4 * $0 })
    case "iloc": return moved(box.content, at: Self.extents(of: box.content))
    default: return box.content.data
    }
  }

  /// The content with the duration of all plays, in place of the duration of one.
  private func multiplied(_ content: Bytes, at offset: Int) -> Data {
    var data = content.data
    guard let duration = content.bits64(at: offset) else { return data }
    let total = duration.multipliedReportingOverflow(by: playCount)
    data.replaceSubrange(
      offset..<offset + 8, with: Data(bigEndian: total.overflow ? UInt64.max : total.partialValue, count: 8))
    return data
  }

  private func moved(_ content: Bytes, at offsets: [Int]) -> Data {
    var data = content.data
    for offset in offsets {
      guard let position = content.bits32(at: offset) else { continue }
      data.replaceSubrange(offset..<offset + 4, with: Data(bigEndian: position &+ growth, count: 4))
    }
    return data
  }

  /// Where the offsets of items are in a box of version 0 with short offsets and lengths (ISO/IEC 14496-12, 8.11.3).
  private static func extents(of content: Bytes) -> [Int] {
    guard content[0] == 0, content[4] == 0x44, content[5] == 0, let itemCount = content.unsigned16(at: 6) else {
      return []
    }
    var (offsets, position): ([Int], Int) = ([], 8)
    for _ in 0..<itemCount {
      let extentCount = content.unsigned16(at: position + 4) ?? 0
      offsets += (0..<extentCount).map { position + 6 + 8 * $0 }
      position += 6 + 8 * extentCount
    }
    return offsets
  }

  /// An edit list with the whole track as its only edit, which is repeated.
  private func editList(duration: UInt64) -> Data {
    Self.header("edts", byteCount: 36) + Self.header("elst", byteCount: 28) + Data(bigEndian: 0x0100_0001, count: 4)
      + Data(bigEndian: 1, count: 4) + Data(bigEndian: duration, count: 8) + Data(bigEndian: 0, count: 8)
      + Data(bigEndian: 0x0001_0000, count: 4)
  }

  private static func header(_ type: String, byteCount: Int) -> Data {
    Data(bigEndian: byteCount + 8, count: 4) + type.utf8
  }
}
