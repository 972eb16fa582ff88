import Foundation
import HalcyonImaging

/// The arguments of a processing option, and their conversions.
struct OptionArguments {
  /// The name in the path, for messages.
  let option: String
  let values: [String]

  /// Splits `NAME:ARGUMENT:…`; arguments are percent-decoded.
  init(_ segment: String) throws(OptionError) {
    let parts = Self.parts(of: segment)
    option = parts[0]
    var values: [String] = []
    for part in parts.dropFirst() {
      guard let value = part.removingPercentEncoding else {
        throw .invalidArgument(option: option, value: part, expected: "valid percent-encoding")
      }
      values.append(value)
    }
    self.values = values
  }

  /// The parts between colons, also empty ones, by their bytes: a combining mark after a colon does not hide it.
  static func parts(of segment: String) -> [String] {
    segment.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false).map { String(Substring($0)) }
  }

  private init(option: String, values: [String]) {
    self.option = option
    self.values = values
  }

  /// The arguments from an index on.
  func dropFirst(_ count: Int) -> OptionArguments {
    OptionArguments(option: option, values: Array(values.dropFirst(count)))
  }

  func checkCount(_ limit: Int) throws(OptionError) {
    guard values.count <= limit else { throw .tooManyArguments(option: option, limit: limit) }
  }

  /// The argument at an index, or `nil` where it is missing or empty, which means the default.
  func text(_ index: Int) -> String? {
    index < values.count && !values[index].isEmpty ? values[index] : nil
  }

  func integer(_ index: Int, in range: ClosedRange<Int>) throws(OptionError) -> Int? {
    guard let text = text(index) else { return nil }
    guard let value = Int(text), range.contains(value) else {
      throw invalid(text, "a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  func number(_ index: Int, in range: ClosedRange<Double>) throws(OptionError) -> Double? {
    guard let text = text(index) else { return nil }
    guard let value = Double(text), range.contains(value) else {
      throw invalid(text, "a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// A factor of lengths. A factor below this limit leaves no pixel of any image.
  func factor(_ index: Int) throws(OptionError) -> Double? { try number(index, in: 0.001...1000) }

  func flag(_ index: Int) throws(OptionError) -> Bool? {
    guard let text = text(index) else { return nil }
    // The spellings that imgproxy's clients send, as Go parses them.
    switch text {
    case "1", "t", "T", "true", "TRUE", "True": return true
    case "0", "f", "F", "false", "FALSE", "False": return false
    default: throw invalid(text, "1, t or true, or 0, f or false")
    }
  }

  /// A gravity with its offsets; `nil` where none is given.
  ///
  /// - Parameter isCrop: Whether the gravity is for cropping, where it may depend on the pixels of the image.
  func gravity(_ index: Int, isCrop: Bool = false) throws(OptionError) -> Gravity? {
    guard let text = text(index) else { return nil }
    guard let kind = Gravity.Kind(rawValue: text), isCrop || kind != .smart else {
      throw invalid(text, "one of no, so, ea, we, noea, nowe, soea, sowe, ce and fp" + (isCrop ? ", or sm" : ""))
    }
    if kind == .smart {
      try checkCount(index + 1)
      return Gravity(.smart)
    }
    try checkCount(index + 3)
    guard kind != .focusPoint || values.count == index + 3 else {
      throw invalid(text, "fp:X:Y with a point, such as fp:0.5:0.3")
    }
    let range = kind == .focusPoint ? 0.0...1.0 : -100_000...100_000
    return Gravity(kind, x: try number(index + 1, in: range) ?? 0, y: try number(index + 2, in: range) ?? 0)
  }

  func format(_ index: Int) throws(OptionError) -> ImageFormat? {
    guard let text = text(index) else { return nil }
    guard let format = ImageFormat(fileExtension: text) else { throw .unknownFormat(text) }
    return format
  }

  func invalid(_ value: String, _ expected: String) -> OptionError {
    .invalidArgument(option: option, value: value, expected: expected)
  }
}
