import Foundation

/// A piece of an ICC profile, which is cut because no segment holds more than 64 KB (ICC.1:2022, B.4).
struct JPEGProfilePart {
  private static let signature = Array("ICC_PROFILE\0".utf8)

  /// The place of the piece, from 1.
  var index: Int
  /// How many pieces there are.
  var count: Int
  /// Where its bytes are in the file.
  var range: Range<Int>

  /// `nil` when the segment holds something else.
  init?(_ segment: Bytes, endingAt end: Int) {
    let start = Self.signature.count + 2
    guard segment.starts(with: Self.signature), let index = segment[start - 2], let count = segment[start - 1] else {
      return nil
    }
    self.index = Int(index)
    self.count = Int(count)
    range = end - segment.count + start..<end
  }
}

extension [JPEGProfilePart] {
  /// The whole profile of a file, `nil` where it has none; an incomplete one has no bytes.
  func profile(in file: UnsafeRawBufferPointer) -> ColorDescription? {
    guard let count = first?.count else { return nil }
    let parts = sorted { $0.index < $1.index }
    guard parts.map(\.index) == Array<Int>(1...Swift.max(1, count)), allSatisfy({ $0.count == count }),
      parts.reduce(0, { $0 + $1.range.count }) <= ColorDescription.profileByteLimit
    else { return .profile(Data()) }
    return .profile(parts.reduce(into: Data()) { $0.append(contentsOf: file[$1.range]) })
  }
}
