extension Int {
  /// The nearest number to a whole one, where `Int` may have 32 bits, as on older watches; 0 for NaN.
  package init(clamping value: Double) {
    self = Int(exactly: value) ?? (value > 0 ? .max : value < 0 ? .min : 0)
  }
}
