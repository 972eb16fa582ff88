extension Substring {
  /// The parts between the bytes of an ASCII character.
  ///
  /// For paths, lists and lines: to Swift, a slash with a combining mark is another character than a slash, and CR LF is
  /// one character.
  func parts(at separator: Unicode.Scalar, limit: Int = .max) -> [Substring] {
    utf8.split(separator: UInt8(ascii: separator), maxSplits: limit - 1, omittingEmptySubsequences: false)
      .map { Substring($0) }
  }

  /// Whether these bytes are among those of the text.
  func contains(ascii character: Unicode.Scalar) -> Bool { utf8.contains(UInt8(ascii: character)) }
}

extension String {
  /// The parts between the bytes of an ASCII character; see ``Substring/parts(at:limit:)``.
  func parts(at separator: Unicode.Scalar, limit: Int = .max) -> [Substring] {
    self[...].parts(at: separator, limit: limit)
  }

  /// Whether the bytes of the text begin with those of another one.
  func begins(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
}
