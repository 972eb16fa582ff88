import Foundation
import HalcyonSupport

/// What cleaning removes, and in which order. ``DiskMaintenance`` decides when it runs.
extension DiskIndex {
  /// Removes entries whose own or default expiration has passed, until `isOver`.
  func removeExpired(
    _ context: DiskWriter.Context, until isOver: () -> Bool = { false }
  ) throws(DiskCacheError) -> CleaningReport.Removal {
    var removed = try remove(.expired(at: context.now), until: isOver)
    if let byDefault = EntrySelection.expired(byDefault: context.configuration.expiration, at: context.now) {
      removed += try remove(byDefault, until: isOver)
    }
    return removed
  }

  /// Cleans as the policy says: wipes an idle cache, removes expired entries, and trims to the size limit.
  ///
  /// - Parameters:
  ///   - opening: The last use before the index was opened, and the date of the opening; `nil` if the time between them
  ///     was considered before.
  ///   - shrinks: Whether an index that is mostly free is shrunk, which may take seconds.
  ///   - isOver: Whether to end the cleaning and leave the rest to the next one.
  func clean(
    _ context: DiskWriter.Context, opening: (lastUse: LastUse, date: Date)? = nil, shrinks: Bool = true,
    until isOver: () -> Bool = { false }
  ) throws(DiskCacheError) -> CleaningReport {
    let policy = context.configuration.cleaning
    var (report, failures) = (CleaningReport(), FileFailures())
    try reconcileTotal()
    if let limit = policy.wipesAfterIdle {
      let periods = [opening, (try lastUse(), context.now)].compactMap(\.self)
      for (lastUse, end) in periods {
        guard let start = lastUse.date, end.timeIntervalSince(start) > limit.inSeconds else { continue }
        try failures.collect { () throws(DiskCacheError) in
          report.noteOnDisk(try remove(.lastUsed(upTo: lastUse.sequence), until: isOver), .idle)
        }
      }
    }
    if policy.removesExpired {
      try failures.collect { () throws(DiskCacheError) in
        report.noteOnDisk(try removeExpired(context, until: isOver), .expiration)
      }
    }
    // Before trimming, since the index counts toward the limit.
    if shrinks { _ = try? shrink() }
    if policy.trimsToSizeLimit {
      report.noteOnDisk(try trim(to: budget(sizeLimit: context.configuration.sizeLimit), until: isOver), .size)
    }
    try failures.throwFirst()
    return report
  }
}
