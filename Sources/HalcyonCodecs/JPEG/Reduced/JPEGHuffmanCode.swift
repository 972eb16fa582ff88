#if !IMAGEIO
/// A Huffman code as a JPEG file defines it (ITU-T T.81, annex C).
struct JPEGHuffmanCode {
  /// The longest code word, in bits.
  static let lengthLimit = 16

  /// A code word and its symbol.
  struct Word {
    let code: Int
    let length: Int
    let symbol: UInt8

    /// The number of zero coefficients before the coefficient.
    var run: Int { Int(symbol >> 4) }
    /// The number of bits of the value, which follow the code word.
    var size: Int { Int(symbol & 15) }
    var isEndOfBlock: Bool { symbol == 0 }
    /// Whether it is a coefficient or a run of zeros, not the end of the block.
    var isCoefficient: Bool { size > 0 && size <= JPEGLookup.largestCoefficient || symbol == 0xF0 }
  }

  /// All words, from the shortest to the longest.
  let words: [Word]

  /// The first code word of each length, in the upper bits of sixteen.
  private var starts: [Int] = []
  /// The index of the first word of each length, and the number of all.
  private var indices: [Int] = []

  /// `nil` if symbols are missing, or a code word has only ones, which libjpeg rejects too.
  init?(counts: some Sequence<UInt8>, symbols: some Sequence<UInt8>) {
    var words: [Word] = []
    var (code, length, rest) = (0, 0, symbols.makeIterator())
    for count in counts {
      length += 1
      code <<= 1
      starts.append(code << (Self.lengthLimit - length))
      indices.append(words.count)
      for _ in 0..<count {
        guard let symbol = rest.next() else { return nil }
        words.append(Word(code: code, length: length, symbol: symbol))
        code += 1
      }
      guard code < 1 << length else { return nil }
    }
    indices.append(words.count)
    self.words = words
  }

  /// The word that sixteen bits begin with; `nil` if there is none.
  func word(_ bits: Int) -> Word? {
    for length in 1...Self.lengthLimit {
      let offset = (bits - starts[length - 1]) >> (Self.lengthLimit - length)
      if offset >= 0, offset < indices[length] - indices[length - 1] { return words[indices[length - 1] + offset] }
    }
    return nil
  }
}
#endif
