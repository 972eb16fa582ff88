/// How sample values represent colours, in the code points of ITU-T H.273.
struct ColorCoding: Equatable {
  static let bt709 = 1
  static let unspecified = 2
  static let bt601Matrix = 6

  var primaries = ColorCoding.unspecified
  var transfer = ColorCoding.unspecified
  var matrix = ColorCoding.unspecified
  /// Whether black is 0 and white is the largest value (full range, not limited range).
  var isFullRange = true

  /// The signal, if the transfer function is PQ or hybrid log-gamma, with values above reference white.
  var highDynamicRange: HighDynamicRange? { HighDynamicRange(primaries: primaries, transfer: transfer) }
}
