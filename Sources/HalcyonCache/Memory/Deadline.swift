import Foundation

/// When an entry leaves, on the clock that it lives by.
enum Deadline: Equatable, Sendable {
  case never
  /// Nanoseconds of uptime.
  case uptime(Int64)
  case date(Date)

  @inline(__always)
  init(_ lifetime: Lifetime, from uptime: Int64) {
    switch lifetime {
    case .never: self = .never
    case .after(let nanoseconds):
      let (deadline, isOver) = uptime.addingReportingOverflow(nanoseconds)
      self = isOver && nanoseconds > 0 ? .never : .uptime(deadline)
    case .date(let date): self = .date(date)
    }
  }

  /// Whether it has passed; `nil` when the moment lacks the date to tell.
  @inline(__always)
  func hasPassed(at moment: Timestamp) -> Bool? {
    switch self {
    case .never: false
    case .uptime(let deadline): moment.uptime >= deadline
    case .date(let deadline): moment.date.map { $0 >= deadline }
    }
  }

  /// Whether something filed under another deadline is found in time under this one too.
  @inline(__always)
  func isNotBefore(_ other: Deadline) -> Bool {
    switch (self, other) {
    case (.uptime(let deadline), .uptime(let other)): deadline >= other
    case (.date(let deadline), .date(let other)): deadline == other
    case (.never, _): true
    default: false
    }
  }

  /// The deadline after a read.
  @inline(__always)
  func extended(_ extending: ExpirationExtension, lifetime: Lifetime, from uptime: Int64) -> Deadline {
    switch extending {
    case .unchanged: self
    case .renewed: Deadline(lifetime, from: uptime)
    case .to(let expiration): Deadline(Lifetime(expiration), from: uptime)
    }
  }
}

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

/// What the clocks showed when an operation began; they are a user's code, never asked under a lock.
struct Timestamp: Sendable {
  /// Nanoseconds.
  var uptime: Int64
  /// `nil` as long as nothing needs it.
  var date: Date?

  var uptimeSecond: Int64 { Self.second(ofUptime: uptime) }

  var dateSecond: Int64? { date.map(Self.second) }

  static func second(ofUptime uptime: Int64) -> Int64 { uptime / 1_000_000_000 }

  static func second(of date: Date) -> Int64 {
    let seconds = date.timeIntervalSince1970
    return seconds.isNaN ? 0 : Int64(min(max(seconds, -1e15), 1e15).rounded(.down))
  }
}
