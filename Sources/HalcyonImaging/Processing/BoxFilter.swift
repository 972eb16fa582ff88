/// The mean over neighbours in a line, those at both ends counting for a part, so that it spreads by any amount (the
/// extended box of Gwosdek, Grewenig, Bruhn and Weickert, 2011).
struct BoxFilter {
  /// Passes after which the filter is used as a Gaussian.
  static let passCount = 3

  /// Neighbours on each side that count in full.
  let radius: Int
  /// The weight of each of these and of the middle.
  let weight: Float
  /// The weight of the next neighbour on each side.
  let edgeWeight: Float

  /// The filter which, used three times, spreads as a Gaussian of this standard deviation does.
  init(standardDeviation: Double) {
    let variance = standardDeviation * standardDeviation / Double(Self.passCount)
    radius = Int(((12 * variance + 1).squareRoot() - 1) / 2)
    let reach = Double(radius)
    let part =
      (2 * reach + 1) * (reach * (reach + 1) - 3 * variance) / (6 * (variance - (reach + 1) * (reach + 1)))
    let weight = 1 / (2 * reach + 1 + 2 * part)
    self.weight = Float(weight)
    edgeWeight = Float(weight * part)
  }
}
