extension Int {
  /// The nearest whole number of pixels, clamped to a billion either way, so that sums of a few cannot overflow; NaN is 0.
  ///
  /// All lengths that follow from the numbers of a URL are converted with this.
  package init(pixels value: Double, rounding: FloatingPointRoundingRule = .toNearestOrAwayFromZero) {
    self = value.isNaN ? 0 : Int(clamping: Int64(Swift.min(1e9, Swift.max(-1e9, value)).rounded(rounding)))
  }
}
