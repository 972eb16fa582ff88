#if SVG && !IMAGEIO
/// The lines of a path, with curves as a few chords each.
struct SVGChords {
  /// How many chords a curve has.
  private static let chordCount = 4
  /// How many pairs are tried for each chord.
  private static let trialCount = 2

  /// The length of the path in user units, an upper bound.
  private(set) var length = 0.0
  private var chords: [(start: SIMD2<Double>, end: SIMD2<Double>)] = []

  /// Adds a line of two points, or a Bézier curve with its control points.
  mutating func add(_ controls: [SIMD2<Double>]) {
    guard var last = controls.first else { return }
    for (start, end) in zip(controls, controls.dropFirst()) {
      let line = end - start
      length += (line * line).sum().squareRoot()
    }
    let count = controls.count > 2 ? Self.chordCount : 1
    for index in 1...count {
      let point = count == 1 ? controls[controls.count - 1] : Self.point(at: Double(index) / Double(count), controls)
      chords.append((last, point))
      last = point
    }
  }

  /// The point of a Bézier curve (de Casteljau).
  private static func point(at position: Double, _ controls: [SIMD2<Double>]) -> SIMD2<Double> {
    var points = controls
    for count in (1..<points.count).reversed() {
      for index in 0..<count { points[index] += (points[index + 1] - points[index]) * position }
    }
    return points[0]
  }

  /// About how many pairs of chords cross, from a sample of them: all pairs would take as long as the drawing.
  ///
  /// The sample depends on the coordinates, so that no path can be made to hide its crossings, and the same path has the
  /// same estimate.
  var crossingCount: Double {
    let count = chords.count
    guard count > 2 else { return 0 }
    var random = seed
    func next() -> Int {
      // SplitMix64.
      random &+= 0x9E37_79B9_7F4A_7C15
      var value = random
      value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
      return Int(truncatingIfNeeded: (value ^ value >> 31).multipliedFullWidth(by: UInt64(count)).high)
    }
    var crossings = 0
    for _ in 0..<(count * Self.trialCount) where Self.cross(chords[next()], chords[next()]) { crossings += 1 }
    return Double(crossings) / Double(count * Self.trialCount) * Double(count) * Double(count) / 2
  }

  private var seed: UInt64 {
    chords.reduce(14_695_981_039_346_656_037) { hash, chord in
      (hash ^ chord.end.x.bitPattern ^ chord.end.y.bitPattern.byteSwapped) &* 1_099_511_628_211
    }
  }

  private static func cross(
    _ first: (start: SIMD2<Double>, end: SIMD2<Double>), _ second: (start: SIMD2<Double>, end: SIMD2<Double>)
  ) -> Bool {
    /// On which side of the line from `start` to `end` a point is.
    func side(_ line: (start: SIMD2<Double>, end: SIMD2<Double>), _ point: SIMD2<Double>) -> Double {
      let (along, to) = (line.end - line.start, point - line.start)
      return along.x * to.y - along.y * to.x
    }
    return side(first, second.start) * side(first, second.end) < 0
      && side(second, first.start) * side(second, first.end) < 0
  }
}
#endif
