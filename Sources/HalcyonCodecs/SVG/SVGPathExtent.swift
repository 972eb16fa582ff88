#if SVG && !IMAGEIO
import Foundation

/// A rectangle that contains a path, how much of it is filled, its length, and how often it crosses itself.
struct SVGPathExtent {
  private(set) var numberCount = 0
  /// In user units, an upper bound.
  private(set) var length = 0.0
  /// The number of pairs of its lines and curves that cross, estimated.
  private(set) var crossingCount = 0.0
  private(set) var box = SVGBox()
  /// How much of the box a fill covers, estimated: 0 to 1.
  private(set) var coverage = 1.0

  private static let argumentCounts: [UInt8: Int] = [
    UInt8(ascii: "M"): 2, UInt8(ascii: "L"): 2, UInt8(ascii: "T"): 2, UInt8(ascii: "H"): 1, UInt8(ascii: "V"): 1,
    UInt8(ascii: "C"): 6, UInt8(ascii: "S"): 4, UInt8(ascii: "Q"): 4, UInt8(ascii: "A"): 7,
  ]

  /// Reads the data of a path up to the first error, as librsvg does.
  init(path: String) {
    var chords = SVGChords()
    read(path, &chords)
    (length, crossingCount, coverage) = (chords.length, chords.crossingCount, chords.coverage(of: box))
  }

  private mutating func read(_ path: String, _ chords: inout SVGChords) {
    var pen = Pen()
    var scanner = SVGNumberScanner(text: Array(path.utf8))
    var command: UInt8?
    while true {
      scanner.skipSeparators()
      guard let byte = scanner.byte else { return }
      if (0x41...0x5A).contains(byte & 0x5F), byte >= 0x41 {
        command = byte
        scanner.offset += 1
      }
      guard let current = command else { return }
      if current | 0x20 == UInt8(ascii: "z") {
        chords.add(pen.close())
        command = nil
        continue
      }
      guard let count = Self.argumentCounts[current & 0x5F],
        let arguments = Self.arguments(of: current, count: count, &scanner)
      else { return }
      numberCount += count
      for (x, y) in pen.move(current, arguments) { add(x, y) }
      chords.add(pen.controls)
      // Further coordinates after a move are lines.
      if current & 0x5F == UInt8(ascii: "M") { command = current - 1 }
    }
  }

  /// Reads the attribute `points`.
  init(points: String) {
    let numbers = SVGNumbers.all(in: points)
    numberCount = numbers.count
    var (chords, last) = (SVGChords(), SIMD2<Double>?.none)
    for index in stride(from: 0, to: numbers.count - 1, by: 2) {
      add(numbers[index], numbers[index + 1])
      let point = SIMD2(numbers[index], numbers[index + 1])
      if let last { chords.add([last, point]) }
      last = point
    }
    (length, crossingCount, coverage) = (chords.length, chords.crossingCount, chords.coverage(of: box))
  }

  private mutating func add(_ x: Double, _ y: Double) { box.add(SIMD2(x, y)) }

  private static func arguments(of command: UInt8, count: Int, _ scanner: inout SVGNumberScanner) -> [Double]? {
    var arguments: [Double] = []
    for index in 0..<count {
      scanner.skipSeparators()
      if command & 0x5F == UInt8(ascii: "A"), index == 3 || index == 4 {
        // Flags need no separator.
        guard let byte = scanner.byte, byte == UInt8(ascii: "0") || byte == UInt8(ascii: "1") else { return nil }
        scanner.offset += 1
        arguments.append(Double(byte - UInt8(ascii: "0")))
      } else {
        guard let number = scanner.number() else { return nil }
        arguments.append(number)
      }
    }
    return arguments
  }

  /// The current point of a path.
  private struct Pen {
    private var (x, y, startX, startY) = (0.0, 0.0, 0.0, 0.0)
    /// The control point that `T` reflects.
    private var (controlX, controlY) = (0.0, 0.0)
    /// The control points of the last command, from its start to its end; empty after a move.
    private(set) var controls: [SIMD2<Double>] = []

    /// Moves to the start of the subpath, and returns the line to it.
    mutating func close() -> [SIMD2<Double>] {
      defer { (x, y, controlX, controlY) = (startX, startY, startX, startY) }
      return [SIMD2(x, y), SIMD2(startX, startY)]
    }

    /// Moves to the end of a command, and returns points whose hull contains what the command draws.
    mutating func move(_ command: UInt8, _ arguments: [Double]) -> [(Double, Double)] {
      let (baseX, baseY) = command >= 0x61 ? (x, y) : (0, 0)
      let (oldX, oldY) = (x, y)
      switch command & 0x5F {
      case UInt8(ascii: "H"): x = baseX + arguments[0]
      case UInt8(ascii: "V"): y = baseY + arguments[0]
      default: (x, y) = (baseX + arguments[arguments.count - 2], baseY + arguments[arguments.count - 1])
      }
      let (start, end) = (SIMD2(oldX, oldY), SIMD2(x, y))
      controls = [start, end]
      let (reflectedX, reflectedY) = (2 * oldX - controlX, 2 * oldY - controlY)
      (controlX, controlY) = (x, y)
      switch command & 0x5F {
      case UInt8(ascii: "M"):
        (startX, startY) = (x, y)
        controls = []
      case UInt8(ascii: "A"):
        controls = Self.controls(ofArc: arguments, from: start, to: end)
        let reach = 2 * max(abs(arguments[0]), abs(arguments[1]), hypot(x - oldX, y - oldY))
        return [(x - reach, y - reach), (x + reach, y + reach)]
      case UInt8(ascii: "C"), UInt8(ascii: "S"), UInt8(ascii: "Q"):
        var points = [(x, y)]
        for index in stride(from: 0, to: arguments.count - 2, by: 2) {
          (controlX, controlY) = (baseX + arguments[index], baseY + arguments[index + 1])
          controls.insert(SIMD2(controlX, controlY), at: controls.count - 1)
          // `S` reflects the control point.
          points += [(controlX, controlY), (2 * x - controlX, 2 * y - controlY)]
        }
        return points
      case UInt8(ascii: "T"):
        (controlX, controlY) = (reflectedX, reflectedY)
        controls.insert(SIMD2(controlX, controlY), at: 1)
        return [(x, y), (controlX, controlY)]
      default: break
      }
      return [(x, y)]
    }

    /// A curve that is about as long and as high as an arc.
    private static func controls(
      ofArc arguments: [Double], from start: SIMD2<Double>, to end: SIMD2<Double>
    ) -> [SIMD2<Double>] {
      let chord = end - start
      let half = (chord * chord).sum().squareRoot() / 2
      guard half > 0 else { return [start, end] }
      let radius = max(half, (abs(arguments[0]) + abs(arguments[1])) / 2)
      let isLarge = arguments[3] != 0
      let height = radius + (radius * radius - half * half).squareRoot() * (isLarge ? 1 : -1)
      let normal = SIMD2(chord.y, -chord.x) / (2 * half) * (arguments[4] != 0 ? 1 : -1)
      let (rise, spread) = (normal * height * 4 / 3, isLarge ? chord / (2 * half) * radius : SIMD2())
      return [start, start + rise - spread, end + rise + spread, end]
    }
  }
}
#endif
