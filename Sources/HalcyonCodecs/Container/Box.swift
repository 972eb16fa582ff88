#if AVIF || HEIF || JXL
/// One box of an ISO base media file (ISO/IEC 14496-12, 4.2).
struct Box {
  /// Four letters.
  let type: String
  /// What is inside, as far as it is at hand.
  let content: Bytes
  /// Where the next box starts.
  let end: Int

  /// The box that starts at `offset`; `nil` when its header is not at hand, or claims a size that no box has.
  init?(_ bytes: Bytes, at offset: Int) {
    guard let shortSize = bytes.unsigned32(at: offset), let type = bytes.text(at: offset + 4, count: 4) else {
      return nil
    }
    var headerByteCount = 8
    var byteCount = shortSize
    if shortSize == 1 {
      guard let high = bytes.unsigned32(at: offset + 8), let low = bytes.unsigned32(at: offset + 12), high < 1 << 24
      else { return nil }
      byteCount = high << 32 | low
      headerByteCount = 16
    } else if shortSize == 0 {
      byteCount = max(bytes.count - offset, headerByteCount)
    }
    guard byteCount >= headerByteCount else { return nil }
    self.type = type
    end = offset + byteCount
    content = bytes[min(offset + headerByteCount, end)..<end]
  }

  /// The boxes inside `bytes` from `offset` on, up to the first that makes no sense.
  static func boxes(in bytes: Bytes, from offset: Int = 0) -> [Box] {
    var boxes: [Box] = []
    var position = offset
    while position < bytes.count, let box = Box(bytes, at: position) {
      boxes.append(box)
      position = box.end
    }
    return boxes
  }
}

extension Bytes {
  /// Letters of ASCII; others become something that matches no name.
  func text(at offset: Int, count: Int) -> String? {
    guard self[offset] != nil, self[offset + count - 1] != nil else { return nil }
    return String(decoding: (offset..<offset + count).compactMap { self[$0] }, as: UTF8.self)
  }

  /// The first box of a type.
  func box(_ type: String, from offset: Int = 0) -> Bytes? {
    Box.boxes(in: self, from: offset).first { $0.type == type }?.content
  }
}
#endif
