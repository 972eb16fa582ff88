#if SVG && !IMAGEIO
/// The lines of a path, with curves as a few chords each.
struct SVGChords {
  /// How many chords a curve has.
  private static let chordCount = 4
  /// The number of pairs that are tested for each chord.
  private static let trialCount = 2
  /// The number of rows from which the area is estimated.
  private static let rowCount = 24

  /// The length of the path in user units, an upper bound.
  private(set) var length = 0.0
  private typealias Chord = (start: SIMD2<Double>, end: SIMD2<Double>)
  private var chords: [Chord] = []
  /// The lines that close subpaths when they are filled.
  private var closings: [Chord] = []
  private var subpathStart = SIMD2(0.0, 0.0)

  /// Adds a line of two points, or a Bézier curve with its control points.
  mutating func add(_ controls: [SIMD2<Double>]) {
    guard var last = controls.first else { return }
    if chords.last?.end != last {
      closeSubpath()
      subpathStart = last
    }
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

  private mutating func closeSubpath() {
    if let last = chords.last { closings.append((last.end, subpathStart)) }
  }

  /// The share of its box that a fill covers, 0 to 1, estimated from some rows.
  ///
  /// - Parameter box: Contains the path.
  mutating func coverage(of box: SVGBox) -> Double {
    guard box.width > 0, box.height > 0 else { return 1 }
    closeSubpath()
    var random = SplitMix(state: seed)
    let step = box.height / Double(Self.rowCount)
    let heights = (0..<Self.rowCount).map { box.start.y + (Double($0) + random.next()) * step }
    var crossings = [[(x: Double, winding: Int)]](repeating: [], count: Self.rowCount)
    for chord in [chords, closings].joined() {
      let (low, high) = (min(chord.start.y, chord.end.y), max(chord.start.y, chord.end.y))
      // A path with a coordinate that is not a number may cover everything.
      guard let first = Int(exactly: ((low - box.start.y) / step).rounded(.down)),
        let last = Int(exactly: ((high - box.start.y) / step).rounded(.down))
      else { return 1 }
      for row in max(0, first)..<max(0, first, min(Self.rowCount, last + 1))
      where low <= heights[row] && heights[row] < high {
        let part = (heights[row] - chord.start.y) / (chord.end.y - chord.start.y)
        let x = chord.start.x + (chord.end.x - chord.start.x) * part
        crossings[row].append((x, chord.start.y < chord.end.y ? 1 : -1))
      }
    }
    let covered = crossings.reduce(0) { $0 + Self.covered($1) }
    return min(1, covered / box.width / Double(Self.rowCount))
  }

  /// The length of a row that is inside.
  private static func covered(_ crossings: [(x: Double, winding: Int)]) -> Double {
    var (winding, length, last) = (0, 0.0, 0.0)
    for crossing in crossings.sorted(by: { $0.x < $1.x }) {
      if winding != 0 { length += crossing.x - last }
      winding += crossing.winding
      last = crossing.x
    }
    return length
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
    var random = SplitMix(state: seed)
    func chord() -> Chord { chords[min(count - 1, Int(random.next() * Double(count)))] }
    var crossings = 0
    for _ in 0..<(count * Self.trialCount) where Self.cross(chord(), chord()) { crossings += 1 }
    return Double(crossings) / Double(count * Self.trialCount) * Double(count) * Double(count) / 2
  }

  private var seed: UInt64 {
    chords.reduce(14_695_981_039_346_656_037) { hash, chord in
      (hash ^ chord.end.x.bitPattern ^ chord.end.y.bitPattern.byteSwapped) &* 1_099_511_628_211
    }
  }

  private static func cross(_ first: Chord, _ second: Chord) -> Bool {
    /// On which side of the line from `start` to `end` a point is.
    func side(_ line: Chord, _ point: SIMD2<Double>) -> Double {
      let (along, to) = (line.end - line.start, point - line.start)
      return along.x * to.y - along.y * to.x
    }
    return side(first, second.start) * side(first, second.end) < 0
      && side(second, first.start) * side(second, first.end) < 0
  }
}

/// Random numbers that depend on a path only.
private struct SplitMix {
  var state: UInt64

  /// At least 0, below 1.
  mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return Double((value ^ value >> 31) >> 11) * 0x1p-53
  }
}
#endif
