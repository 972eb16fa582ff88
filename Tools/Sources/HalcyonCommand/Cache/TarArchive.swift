import Foundation

/// Writes a tar archive (POSIX.1-1988, ustar) of small regular files to a descriptor.
struct TarWriter {
  private let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// Adds a file.
  ///
  /// - Parameters:
  ///   - name: At most 100 bytes of ASCII.
  ///   - date: Its modification date.
  func add(_ name: String, _ data: Data, date: Date) throws(OutputError) {
    precondition(name.utf8.count <= 100, "\(name) is too long for a tar header")
    var header = [UInt8](repeating: 0, count: TarHeader.byteCount)
    func put(_ text: String, at offset: Int) {
      header.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
    }
    func octal(_ number: Int, digits: Int) -> String {
      let text = String(number, radix: 8)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    put(name, at: 0)
    put("0000644\0", at: 100)
    put("0000000\0", at: 108)
    put("0000000\0", at: 116)
    put(octal(data.count, digits: 11), at: 124)
    put(octal(max(0, Int(date.timeIntervalSince1970)), digits: 11), at: 136)
    put("        ", at: 148)
    put("0", at: 156)
    put("ustar\u{0}00", at: 257)
    put(octal(header.reduce(0) { $0 + Int($1) }, digits: 6) + "\0 ", at: 148)
    try write(Data(header))
    try write(data)
    let rest = data.count % TarHeader.byteCount
    if rest > 0 { try write(Data(count: TarHeader.byteCount - rest)) }
  }

  /// Ends the archive.
  func finish() throws(OutputError) { try write(Data(count: 2 * TarHeader.byteCount)) }

  private func write(_ data: Data) throws(OutputError) {
    let code = OutputFile.write(data, to: descriptor)
    if code != 0 { throw .unwritable(path: "the archive", code: code) }
  }
}

/// The header of a file in a tar archive.
private struct TarHeader {
  static let byteCount = 512
  let name: String
  let size: Int
  /// Whether it is a regular file.
  let isFile: Bool

  /// `nil` for a block of zeros, which ends the archive.
  init?(_ block: Data) throws(CacheError) {
    let bytes = [UInt8](block)
    if bytes.allSatisfy({ $0 == 0 }) { return nil }
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range].prefix { $0 != 0 }, as: UTF8.self) }
    func number(_ range: Range<Int>) -> Int? { Int(text(range).trimmingCharacters(in: .whitespaces), radix: 8) }
    let sum = bytes.indices.reduce(0) { $0 + ((148..<156).contains($1) ? 32 : Int(bytes[$1])) }
    guard number(148..<156) == sum, let size = number(124..<136), size >= 0 else {
      throw .badArchive("it is not a tar archive, or damaged")
    }
    let prefix = text(345..<500)
    name = prefix.isEmpty ? text(0..<100) : "\(prefix)/\(text(0..<100))"
    self.size = size
    isFile = [0, UInt8(ascii: "0")].contains(bytes[156])
  }
}

/// Reads the regular files of a tar archive, one after another.
struct TarReader {
  private let file: FileHandle
  private let byteLimit: Int

  /// - Parameter byteLimit: The most bytes of a file.
  init(_ file: FileHandle, byteLimit: Int) {
    self.file = file
    self.byteLimit = byteLimit
  }

  /// The next file; `nil` at the end of the archive.
  func next() throws -> (name: String, data: Data)? {
    while true {
      let block = try read(TarHeader.byteCount)
      guard block.count == TarHeader.byteCount else { throw CacheError.badArchive("it ends in the middle") }
      guard let header = try TarHeader(block) else { return nil }
      guard header.size <= byteLimit else {
        throw CacheError.badArchive("\(header.name.printableLine) has \(header.size) bytes, the limit is \(byteLimit)")
      }
      let data = try read((header.size + TarHeader.byteCount - 1) / TarHeader.byteCount * TarHeader.byteCount)
      guard data.count >= header.size else { throw CacheError.badArchive("it ends in the middle") }
      if header.isFile { return (header.name, data.prefix(header.size)) }
    }
  }

  private func read(_ count: Int) throws -> Data {
    var data = Data()
    while data.count < count, let piece = try file.read(upToCount: count - data.count), !piece.isEmpty {
      data.append(piece)
    }
    return data
  }
}
