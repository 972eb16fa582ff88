import Foundation

/// When an entry expires, on the clock that applies to it.
enum Deadline: Equatable, Sendable {
  case never
  /// Nanoseconds of uptime.
  case uptime(Int64)
  case date(Date)

  @inline(__always)
  init(_ lifetime: Lifetime, from uptime: Int64) {
    switch lifetime {
    case .never: self = .never
    case .sliding(let nanoseconds), .fixed(let nanoseconds):
      let (deadline, isOver) = uptime.addingReportingOverflow(nanoseconds)
      self = isOver && nanoseconds > 0 ? .never : .uptime(deadline)
    case .date(let date): self = .date(date)
    }
  }

  /// Whether the deadline has passed; `nil` if `now` lacks the date that decides it.
  @inline(__always)
  func hasPassed(at now: Timestamp) -> Bool? {
    switch self {
    case .never: false
    case .uptime(let deadline): now.uptime >= deadline
    case .date(let deadline): now.date.map { $0 >= deadline }
    }
  }

  /// The deadline after a read.
  @inline(__always)
  func renewed(_ lifetime: Lifetime, from uptime: Int64) -> Deadline {
    if case .sliding = lifetime { Deadline(lifetime, from: uptime) } else { self }
  }
}

/// A ``CacheExpiration`` with its duration in nanoseconds.
enum Lifetime: Sendable {
  case never
  /// Nanoseconds after the last use.
  case sliding(Int64)
  /// Nanoseconds after the image was stored.
  case fixed(Int64)
  case date(Date)

  init(_ expiration: CacheExpiration) {
    switch expiration {
    case .never: self = .never
    case .expired: self = .fixed(0)
    case .after(let duration, since: .lastUse): self = .sliding(duration.clampedNanoseconds)
    case .after(let duration, since: .storing): self = .fixed(duration.clampedNanoseconds)
    case .date(let date): self = .date(date)
    }
  }
}

/// The readings of both clocks at the start of an operation. The clocks may be a user's code, so they are never read
/// under a lock.
struct Timestamp: Sendable {
  /// Nanoseconds.
  var uptime: Int64
  /// `nil` if it was not read.
  var date: Date?
}

extension Duration {
  /// Whole nanoseconds, clamped to the range of `Int64`, about 292 years either way.
  var clampedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isOver) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isTooLong || isOver ? (seconds < 0 ? .min : .max) : sum
  }
}
