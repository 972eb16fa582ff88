import Foundation

extension DiskIndex {
  /// Removes what the policy wants to be removed, and tells what that was.
  ///
  /// - Parameter use: The last use of the cache before this one.
  func clean(on terms: DiskWriter.Terms, idleSince use: LastUse) throws(DiskCacheError) -> CleaningReport {
    let policy = terms.configuration.cleaning
    var report = CleaningReport()
    if let limit = policy.wipesAfterIdle, let date = use.date, terms.now.timeIntervalSince(date) > limit.inSeconds {
      report.noteOnDisk(try remove(.used(upTo: use.sequence)), .idle)
    }
    if policy.removesExpired { report.noteOnDisk(try remove(.expired(at: terms.now)), .expiration) }
    if policy.trimsToSizeLimit {
      report.noteOnDisk(try trim(to: budget(sizeLimit: terms.configuration.sizeLimit)), .size)
    }
    return report
  }
}
