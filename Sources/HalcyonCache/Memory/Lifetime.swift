import Foundation

/// An expiration in the numbers that a memory cache computes with.
enum Lifetime: Sendable {
  case never
  /// Nanoseconds after the last use.
  case after(Int64)
  case date(Date)

  init(_ expiration: CacheExpiration) {
    switch expiration {
    case .never: self = .never
    case .expired: self = .after(0)
    case .after(let duration): self = .after(duration.clampedNanoseconds)
    case .date(let date): self = .date(date)
    }
  }
}

extension Duration {
  /// Whole nanoseconds; 292 years stand for all that is longer.
  var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isOver) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isTooLong || isOver ? (seconds < 0 ? .min : .max) : sum
  }
}
