import ArgumentParser
import Foundation
import Halcyon

/// A size argument: `400x300`, `400x` or `x300`.
struct SizeArgument: ExpressibleByArgument {
  /// `nil` if it is not limited.
  let width: Int?
  let height: Int?

  /// The whole image inside.
  var target: TargetSize { .fit(width: width ?? .max, height: height ?? .max) }

  init?(argument: String) {
    let sides = argument.lowercased().split(separator: "x", omittingEmptySubsequences: false)
    guard sides.count == 2, sides != ["", ""] else { return nil }
    let numbers = sides.map { Int($0) }
    guard zip(sides, numbers).allSatisfy({ $0.isEmpty || $1.map { $0 > 0 } ?? false }) else { return nil }
    (width, height) = (numbers[0], numbers[1])
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
