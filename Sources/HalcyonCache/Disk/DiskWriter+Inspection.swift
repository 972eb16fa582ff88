extension DiskWriter {
  /// An entry as the index has it.
  struct Row: Sendable {
    var id: Int64
    var path: String
  }

  func totalSize() throws(DiskCacheError) -> Int {
    try withIndex { index throws(DiskCacheError) in try index.total().byteCount }
  }

  func count() throws(DiskCacheError) -> Int {
    try withIndex { index throws(DiskCacheError) in try index.total().count }
  }

  /// The next few entries in the order of their numbers.
  func page(after id: Int64) throws(DiskCacheError) -> [Row] {
    try withIndex { index throws(DiskCacheError) in
      let rows = try index.database.run(
        "SELECT id, digest FROM entry WHERE id>? ORDER BY id LIMIT 64", [.integer(id)])
      return rows.compactMap { row in
        guard let id = row[0].integer, let digest = row[1].blob else { return nil }
        return Row(id: id, path: layout.entry(digest))
      }
    }
  }
}
