extension DiskIndex {
  /// What entries come to.
  struct Total: Equatable {
    /// Bytes of disk space.
    var byteCount: Int
    var count: Int
  }

  /// What all entries come to, as it is kept.
  func total() throws(DiskCacheError) -> Total {
    try total("SELECT bytes, count FROM total")
  }

  func pinnedTotal() throws(DiskCacheError) -> Total {
    try total("SELECT coalesce(sum(bytes), 0), count(*) FROM entry WHERE pinned=1")
  }

  /// Bytes that writers may still put on the disk.
  func allottedByteCount() throws(DiskCacheError) -> Int {
    try total("SELECT coalesce(sum(bytes), 0), count(*) FROM writer").byteCount
  }

  /// Makes the totals true: triggers keep them so, unless the file was damaged.
  ///
  /// It looks at each row, which takes 60 ms for a million; others may write meanwhile, unless the totals differ.
  func reconcileTotal() throws(DiskCacheError) {
    guard try countedTotal() != total() else { return }
    try database.transaction { () throws(DiskCacheError) in
      let counted = try countedTotal()
      try database.run(
        "UPDATE total SET bytes=?, count=?", [.integer(Int64(counted.byteCount)), .integer(Int64(counted.count))])
    }
  }

  private func countedTotal() throws(DiskCacheError) -> Total {
    try total("SELECT coalesce(sum(bytes), 0), count(*) FROM entry")
  }

  /// What is said of an index whose content cannot be.
  var damage: DiskCacheError { .damagedIndex(path: layout.index) }

  private func total(_ sql: String) throws(DiskCacheError) -> Total {
    let possible = 0...Self.largestNumber
    guard let row = try database.run(sql).first, let byteCount = row[0].integer, let count = row[1].integer,
      possible.contains(byteCount), possible.contains(count)
    else { throw damage }
    return Total(byteCount: Int(byteCount), count: Int(count))
  }
}
