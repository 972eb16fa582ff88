import HalcyonProcessing
public import HTTPTypes

/// A browser's hints about the place of an image: its width and the pixels per unit (`Sec-CH-Width`, `Sec-CH-DPR`).
public struct ClientHints: Hashable, Sendable {
  /// The fields that are read, for `Vary`.
  static let fields = ["Sec-CH-DPR", "DPR", "Sec-CH-Width", "Width"]

  /// Pixels per unit, above 0 and at most 8; `nil` if there is no such field.
  public var dpr: Double?
  /// The width in pixels; `nil` if there is no such field.
  public var width: Int?

  /// Reads the fields of a request; others than numbers in their ranges are ignored.
  public init(_ headers: HTTPFields) {
    func value(_ names: ArraySlice<String>) -> [String] {
      names.compactMap { HTTPField.Name($0).flatMap { headers[$0] } }
    }
    dpr = value(Self.fields[..<2]).lazy.compactMap { Double($0) }.first { $0 >= 0.001 && $0 <= 8 }
    width = value(Self.fields[2...]).lazy.compactMap { Int($0) }.first { (1...100_000).contains($0) }
  }

  /// The options that the hints stand for.
  var options: ProcessingOptions {
    var options = ProcessingOptions()
    options.dpr = dpr ?? 1
    if let width { options.width = Int((Double(width) / options.dpr).rounded()) }
    return options
  }
}
