import CHalcyonZlib
import Foundation

/// The position of one chunk in a PNG file.
struct PNGChunk {
  let name: String
  /// The data, without length, type and checksum.
  let content: Range<Int>

  /// The whole chunk.
  var range: Range<Int> { content.lowerBound - 8..<content.upperBound + 4 }

  /// Whether the image cannot be decoded without it: an upper-case first letter (ISO/IEC 15948, 5.4).
  var isCritical: Bool { name.utf8.first.map { $0 & 0x20 == 0 } ?? false }

  /// Whether its checksum is right.
  func isIntact(in file: Bytes) -> Bool {
    let sum = Self.checksum(file[content.lowerBound - 4..<content.upperBound].buffer)
    return file.bits32(at: content.upperBound) == sum
  }

  /// A whole chunk.
  static func encoded(_ name: String, _ content: Data) -> Data {
    let body = Data(name.utf8) + content
    return Data(bigEndian: content.count, count: 4) + body + Data(bigEndian: body.withUnsafeBytes(checksum), count: 4)
  }

  /// A file with whole chunks after its header.
  static func inserted(_ chunks: Data, into file: Data) -> Data {
    let headerEnd = 33
    return file.prefix(headerEnd) + chunks + file.dropFirst(headerEnd)
  }

  static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    UInt32(crc32(0, bytes.bindMemory(to: UInt8.self).baseAddress, UInt32(bytes.count)))
  }
}

/// Iterates over the chunks of a PNG file.
struct PNGChunks {
  static let signatureByteCount = 8

  private let bytes: Bytes
  /// The position of the next chunk.
  private(set) var offset: Int

  init(_ bytes: Bytes, from offset: Int = signatureByteCount) {
    self.bytes = bytes
    self.offset = offset
  }

  /// The next complete chunk, or `nil` at the end of the bytes.
  mutating func next() -> PNGChunk? {
    guard let length = bytes.unsigned32(at: offset), bytes.count >= offset + 12 + length,
      let name = bytes.text(at: offset + 4, count: 4)
    else { return nil }
    defer { offset += 12 + length }
    return PNGChunk(name: name, content: offset + 8..<offset + 8 + length)
  }

  /// The chunk that the bytes end inside of, if any. Known after the last complete one.
  var incomplete: PNGChunk? {
    guard let name = bytes.text(at: offset + 4, count: 4) else { return nil }
    return PNGChunk(name: name, content: offset + 8..<bytes.count)
  }
}

/// Repairs a truncated PNG file so that it can be decoded up to its end.
///
/// libspng does not decode an incomplete chunk, so the last chunk is shortened to the bytes that exist.
enum PNGTruncatedFile {
  /// The file up to its last byte of image data, or `nil` if it is not truncated.
  static func repaired(_ file: UnsafeRawBufferPointer) -> [UInt8]? {
    var chunks = PNGChunks(Bytes(file))
    while let chunk = chunks.next() { if chunk.name == "IEND" { return nil } }
    let whole = Array(file[..<min(chunks.offset, file.count)])
    guard let chunk = chunks.incomplete, chunk.name == "IDAT" else { return whole }
    return whole + PNGChunk.encoded("IDAT", Data(file[chunk.content]))
  }

  /// Whether frames of an animation are missing, or the data of the last one may be.
  static func lacksFrames(_ file: UnsafeRawBufferPointer, _ header: PNGHeader) -> Bool {
    guard header.frameCount > 1 || header.hidesDefaultImage else { return false }
    var chunks = PNGChunks(Bytes(file))
    var frameCount = 0
    var last = ""
    while let chunk = chunks.next() {
      if chunk.name == "fcTL" { frameCount += 1 }
      if chunk.name == "IEND" { return false }
      last = chunk.name
    }
    return frameCount < header.frameCount || last == "fcTL" || chunks.incomplete.map { $0.name != "IEND" } ?? false
  }
}
