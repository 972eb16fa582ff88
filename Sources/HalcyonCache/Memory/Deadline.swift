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
