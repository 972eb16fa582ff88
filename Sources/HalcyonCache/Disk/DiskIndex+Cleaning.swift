import HalcyonSupport
import Foundation

extension DiskIndex {
  /// Removes what the policy wants to be removed, and tells what that was.
  ///
  /// - Parameters:
  ///   - use: The last use of the cache before this one.
  ///   - start: When this use began.
  func clean(
    on terms: DiskWriter.Terms, idleSince use: LastUse, until start: Date
  ) throws(DiskCacheError) -> CleaningReport {
    let policy = terms.configuration.cleaning
    var report = CleaningReport()
    try reconcileTotal()
    if let limit = policy.wipesAfterIdle, let date = use.date, start.timeIntervalSince(date) > limit.inSeconds {
      report.noteOnDisk(try remove(.used(upTo: use.sequence)), .idle)
    }
    if policy.removesExpired { report.noteOnDisk(try removeExpired(on: terms), .expiration) }
    if policy.trimsToSizeLimit {
      report.noteOnDisk(try trim(to: budget(sizeLimit: terms.configuration.sizeLimit)), .size)
    }
    return report
  }

  /// Removes what has expired, by itself or as the configuration says now.
  func removeExpired(on terms: DiskWriter.Terms) throws(DiskCacheError) -> CleaningReport.Removal {
    var removed = try remove(.expired(at: terms.now))
    if let others = EntrySelection.expired(byDefault: terms.configuration.expiration, at: terms.now) {
      removed += try remove(others)
    }
    return removed
  }
}
