import ArgumentParser
import Foundation
import Halcyon

/// A size argument: `400x300`, `400x` or `x300`; `800`, the longest side; or `50%` of the image's own size.
enum SizeArgument: ExpressibleByArgument {
  /// A side that is `nil` is not limited.
  case sides(width: Int?, height: Int?)
  case longestSide(Int)
  case percent(Double)

  init?(argument: String) {
    if argument.hasSuffix("%") {
      guard let percent = Double(argument.dropLast()), percent > 0, percent <= 10_000 else { return nil }
      self = .percent(percent)
      return
    }
    if let side = Int(argument) {
      guard side > 0 else { return nil }
      self = .longestSide(side)
      return
    }
    let sides = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
    guard sides.count == 2, sides != ["", ""] else { return nil }
    let numbers = sides.map { Int($0) }
    guard zip(sides, numbers).allSatisfy({ $0.isEmpty || $1.map { $0 > 0 } ?? false }) else { return nil }
    self = .sides(width: numbers[0], height: numbers[1])
  }

  /// The whole image inside the size; `nil` if that depends on the image.
  var target: TargetSize? {
    switch self {
    case .sides(let width, let height): .fit(width: width ?? .max, height: height ?? .max)
    case .longestSide(let side): .fit(width: side, height: side)
    case .percent: nil
    }
  }
}

/// A number of bytes: `4096`, `64K`, `10M` or `2G`.
struct ByteCountArgument: ExpressibleByArgument {
  let byteCount: Int

  init?(argument: String) {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = argument.last.flatMap { units[Character($0.uppercased())] }
    guard let number = Int(unit == nil ? argument[...] : argument.dropLast()), number >= 0 else { return nil }
    let (count, isOver) = number.multipliedReportingOverflow(by: unit ?? 1)
    guard !isOver else { return nil }
    byteCount = count
  }
}

/// A freshness policy by name.
enum FreshnessArgument: String, ExpressibleByArgument, CaseIterable {
  case standard
  case cacheFirst = "cache-first"
  case revalidate
  case reload
  case cacheOnly = "cache-only"

  var policy: CachePolicy {
    switch self {
    case .standard: .standard
    case .cacheFirst: .cacheFirst
    case .revalidate: .revalidate
    case .reload: .reload
    case .cacheOnly: .cacheOnly
    }
  }

  static let help = """
    standard revalidates stale images, cache-first never revalidates, revalidate always does; reload downloads the \
    image again
    """
}

/// A duration argument in seconds, above 0, fractions allowed.
struct SecondsArgument: ExpressibleByArgument {
  let duration: Duration

  init?(argument: String) {
    guard let seconds = Double(argument), seconds > 0, seconds < 1e9 else { return nil }
    duration = .seconds(seconds)
  }
}

/// What becomes of high dynamic range.
enum HDRArgument: String, ExpressibleByArgument, CaseIterable {
  case keep, standard
}

extension ParsableArguments {
  /// Throws if an option has a value that it does not accept.
  func check(_ name: String, _ value: Int?, in range: ClosedRange<Int>) throws {
    guard let value, !range.contains(value) else { return }
    let expected =
      range.upperBound == .max ? "at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
    throw ValidationError("--\(name) has to be \(expected), not \(value).")
  }
}
