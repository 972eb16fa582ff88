#if !IMAGEIO
/// Tables that decode the next bits of a scan at once: a code word and its value, or several of both.
///
/// An entry has the number of its bits in the lowest six bits, in the next ten the number of coefficients by which the
/// block advances and, in 32-bit entries, the value in the upper half.
final class JPEGLookup {
  /// The number of bits that are looked up: larger tables do not fit the L1 cache.
  static let indexBits = 12
  /// Added to the advance when a block ends.
  static let end = 512
  /// The advance of a long entry: the code word and its value have more bits than the index.
  static let long = 256
  /// A long entry, which has no bits.
  static let longEntry = UInt32(long << 6)
  /// The most bits of a DC difference and of an AC coefficient.
  static let largestDifference = 11
  static let largestCoefficient = 10

  private static let count = 1 << indexBits
  /// The most bits of an entry of several values: three of them fit in the bits that are loaded at once.
  private static let bitLimit = 18

  let code: JPEGHuffmanCode
  /// An entry for each DC difference, with coefficients after it that are skipped, or for each AC coefficient.
  let values: UnsafeMutablePointer<UInt32>
  /// An entry for as many AC coefficients as fit.
  let skips: UnsafeMutablePointer<UInt16>

  private init(_ code: JPEGHuffmanCode, hasValues: Bool, hasSkips: Bool) {
    self.code = code
    let (valueCount, skipCount) = (hasValues ? Self.count : 0, hasSkips ? Self.count : 0)
    values = .allocate(capacity: valueCount)
    values.initialize(repeating: Self.longEntry, count: valueCount)
    skips = .allocate(capacity: skipCount)
    skips.initialize(repeating: UInt16(Self.longEntry), count: skipCount)
  }

  deinit {
    values.deallocate()
    skips.deallocate()
  }

  /// Tables for DC differences, whose entries advance by one coefficient.
  ///
  /// - Parameters:
  ///   - coefficients: The code of the AC coefficients that follow in the block.
  ///   - skipsCoefficients: Whether entries may go on with these. Otherwise they contain at most the end of the block.
  convenience init(
    differences code: JPEGHuffmanCode, coefficients: JPEGHuffmanCode? = nil, skipsCoefficients: Bool = false
  ) {
    self.init(code, hasValues: true, hasSkips: false)
    // Copied, as an object or an array would be retained for each entry.
    let (values, following) = (values, coefficients?.words ?? [])
    following.withUnsafeBufferPointer { following in
      for word in code.words where word.size <= Self.largestDifference {
        Self.forEachValue(of: word) { prefix, value in
          let upper = UInt32(truncatingIfNeeded: value) << 16
          prefix.fill(values, upper | UInt32(prefix.length | 1 << 6))
          Self.extend(prefix, advance: 1, with: following, onlyByEnd: !skipsCoefficients) { prefix, bits, advance in
            prefix.fill(values, upper | UInt32(bits | advance << 6))
          }
        }
      }
    }
  }

  /// Tables for AC coefficients.
  convenience init(coefficients code: JPEGHuffmanCode, hasValues: Bool, hasSkips: Bool = true) {
    self.init(code, hasValues: hasValues, hasSkips: hasSkips)
    if hasSkips {
      let skips = skips
      code.words.withUnsafeBufferPointer { words in
        Self.extend(Prefix(), advance: 0, with: words, onlyByEnd: false) { prefix, bits, advance in
          prefix.fill(skips, UInt16(bits | advance << 6))
        }
      }
    }
    guard hasValues else { return }
    for word in code.words where word.isEndOfBlock || word.isCoefficient {
      let advance = word.isEndOfBlock ? Self.end : word.run + 1
      Self.forEachValue(of: word) { prefix, value in
        prefix.fill(values, UInt32(truncatingIfNeeded: value) << 16 | UInt32(prefix.length | advance << 6))
      }
    }
  }

  /// Reads a difference, with the coefficients after it that its entry has; `nil` for damage.
  @inline(__always)
  func difference(_ bits: inout JPEGBits) -> UInt32? {
    let entry = values[bits.index]
    if entry == Self.longEntry { return longDifference(&bits) }
    bits.skip(UInt64(entry))
    return entry
  }

  /// Reads a coefficient, an end or a run of ends of blocks; `nil` for damage.
  ///
  /// - Parameter endRun: Set to the blocks after this one that have ended, too.
  @inline(__always)
  func coefficient(_ bits: inout JPEGBits, endRun: inout Int) -> UInt32? {
    let entry = values[bits.index]
    if entry == Self.longEntry { return longCoefficient(&bits, endRun: &endRun) }
    bits.skip(UInt64(entry))
    return entry
  }

  /// Reads a difference whose entry is long; the result has no bits to skip.
  @inline(never)
  func longDifference(_ bits: inout JPEGBits) -> UInt32? {
    guard let word = code.word(bits.peek(JPEGHuffmanCode.lengthLimit)) else { return nil }
    bits.skip(UInt64(word.length))
    return UInt32(truncatingIfNeeded: Self.value(bits.read(word.size), size: word.size)) << 16 | 1 << 6
  }

  /// Reads what ``coefficient(_:endRun:)`` reads where its entry is long; the result has no bits to skip.
  @inline(never)
  func longCoefficient(_ bits: inout JPEGBits, endRun: inout Int) -> UInt32? {
    guard let word = code.word(bits.peek(JPEGHuffmanCode.lengthLimit)) else { return nil }
    bits.skip(UInt64(word.length))
    if word.size == 0, word.run < 15 {
      endRun = 1 << word.run + bits.read(word.run) - 1
      return UInt32(Self.end << 6)
    }
    guard word.isCoefficient else { return nil }
    let value = Self.value(bits.read(word.size), size: word.size)
    return UInt32(truncatingIfNeeded: value) << 16 | UInt32((word.run + 1) << 6)
  }

  /// The number that the bits after a code word mean (ITU-T T.81, F.1.2.1).
  private static func value(_ bits: Int, size: Int) -> Int {
    size == 0 || bits >> (size - 1) != 0 ? bits : bits - (1 << size) + 1
  }

  /// The first bits of an index.
  private struct Prefix {
    /// The first index.
    var index = 0
    var length = 0

    /// The number of indices.
    var count: Int { 1 << (JPEGLookup.indexBits - length) }

    /// Writes an entry at all indices.
    @inline(__always)
    func fill<Entry>(_ entries: UnsafeMutablePointer<Entry>, _ entry: Entry) {
      (entries + index).update(repeating: entry, count: count)
    }

    /// The prefix with more bits; `nil` if they do not fit.
    func appending(_ bits: Int, count: Int) -> Prefix? {
      let length = length + count
      guard length <= JPEGLookup.indexBits else { return nil }
      return Prefix(index: index | bits << (JPEGLookup.indexBits - length), length: length)
    }
  }

  /// Calls `body` for each value of a word, if it fits.
  @inline(__always)
  private static func forEachValue(of word: JPEGHuffmanCode.Word, _ body: (Prefix, Int) -> Void) {
    for bits in 0..<1 << word.size {
      guard let prefix = Prefix().appending(word.code << word.size | bits, count: word.length + word.size) else {
        return
      }
      body(prefix, Self.value(bits, size: word.size))
    }
  }

  /// Calls `body` for all coefficients and ends that can follow a prefix, with the bits and the advance of the entry; an
  /// entry replaces shorter ones.
  private static func extend(
    _ prefix: Prefix, advance: Int, with words: UnsafeBufferPointer<JPEGHuffmanCode.Word>, onlyByEnd: Bool,
    _ body: (Prefix, Int, Int) -> Void
  ) {
    for word in words {
      guard let coded = prefix.appending(word.code, count: word.length) else { return }
      if word.isEndOfBlock {
        body(coded, coded.length, advance + Self.end)
        continue
      }
      let (bits, reached) = (coded.length + word.size, advance + word.run + 1)
      guard !onlyByEnd, word.isCoefficient, reached < 64, bits <= Self.bitLimit else { continue }
      body(coded, bits, reached)
      for value in 0..<1 << word.size {
        guard let whole = coded.appending(value, count: word.size) else { break }
        extend(whole, advance: reached, with: words, onlyByEnd: false, body)
      }
    }
  }
}
#endif
