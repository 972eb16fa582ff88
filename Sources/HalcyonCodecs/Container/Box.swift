/// One box of an ISO base media file (ISO/IEC 14496-12, 4.2).
struct Box {
  /// The four-character code.
  let type: String
  /// The content, as far as the bytes go.
  let content: Bytes
  /// The offset of the next box.
  let end: Int

  /// The box that starts at `offset`; `nil` when its header is incomplete or has an invalid size.
  init?(_ bytes: Bytes, at offset: Int) {
    guard let shortSize = bytes.unsigned32(at: offset), let type = bytes.text(at: offset + 4, count: 4) else {
      return nil
    }
    var headerByteCount = 8
    var byteCount = shortSize
    if shortSize == 1 {
      guard let longSize = bytes.unsigned64(at: offset + 8), longSize < Bytes.largest else { return nil }
      byteCount = longSize
      headerByteCount = 16
    } else if shortSize == 0 {
      byteCount = max(bytes.count - offset, headerByteCount)
    }
    guard byteCount >= headerByteCount else { return nil }
    self.type = type
    end = offset + byteCount
    content = bytes[min(offset + headerByteCount, end)..<end]
  }

  /// The boxes in `bytes` from `offset` on, up to the first invalid one.
  static func boxes(in bytes: Bytes, from offset: Int = 0) -> Boxes { Boxes(bytes: bytes, offset: offset) }
}

/// Boxes that follow each other, each of which is read when it is reached.
struct Boxes: Sequence, IteratorProtocol {
  fileprivate let bytes: Bytes
  fileprivate var offset: Int

  mutating func next() -> Box? {
    guard offset < bytes.count, let box = Box(bytes, at: offset) else { return nil }
    offset = box.end
    return box
  }
}

extension Bytes {
  /// The content of the first box of a type.
  func box(_ type: String, from offset: Int = 0) -> Bytes? {
    Box.boxes(in: self, from: offset).first { $0.type == type }?.content
  }
}
