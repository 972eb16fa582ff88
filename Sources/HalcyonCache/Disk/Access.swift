import HalcyonSupport
import Foundation

/// One reading of a stored entry, which is written down later.
struct Access {
  /// When the entry was read.
  let date: Date
  /// The date that the life of the entry counts from, which may lie ahead; `nil` where it counts from what is written
  /// down already.
  let lifeStart: Date?
  /// The running number of the reading.
  private(set) var order = 0

  /// - Parameters:
  ///   - own: The expiration that the entry has.
  ///   - last: A reading that is not written down yet: what it did to the entry's life is done by this one.
  init(extending: ExpirationExtension, own: CacheExpiration, after last: Access?, at now: Date) {
    date = now
    switch (extending, own) {
    case (.renewed, _): lifeStart = now
    case (.to(let expiration), .after(let lifetime)):
      lifeStart = expiration.end(from: now).addingTimeInterval(-lifetime.inSeconds)
    case (.unchanged, _), (.to, _): lifeStart = last?.lifeStart
    }
  }

  /// An entry that is as good as written anew.
  init(renewedAt now: Date) { (date, lifeStart) = (now, now) }

  func numbered(_ order: Int) -> Access {
    var use = self
    use.order = order
    return use
  }
}

extension CacheExpiration {
  /// When something ends that is used now; what never ends does so in a hundred years, which file systems can note.
  func end(from now: Date) -> Date {
    switch self {
    case .never: now.addingTimeInterval(100 * 365 * 86_400)
    case .expired: now
    case .after(let duration): now.addingTimeInterval(duration.inSeconds)
    case .date(let end): end
    }
  }
}
