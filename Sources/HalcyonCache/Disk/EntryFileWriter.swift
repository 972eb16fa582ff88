import HalcyonSupport
import HalcyonHTTP
import Foundation

/// The file that an entry is going to be.
struct EntryFileWriter {
  private let header: EntryFileHeader
  private let key: CacheKey
  private let body: Data
  private let payload: [UInt8]

  init(_ entry: StoredEntry, key: CacheKey) throws(DiskCacheError) {
    var payload = entry.metadata.encoded
    if payload.count > MetadataSlot.payloadByteLimit {
      var reduced = entry.metadata
      reduced.headers = HTTPHeaders()
      payload = reduced.encoded
      guard payload.count <= MetadataSlot.payloadByteLimit else {
        throw .metadataTooLarge(byteCount: payload.count, limit: MetadataSlot.payloadByteLimit)
      }
    }
    self.key = key
    self.payload = payload
    body = entry.body
    header = EntryFileHeader(
      id: 0, keyByteCount: UInt32(key.text.utf8.count),
      slotByteCount: UInt32(MetadataSlot.byteCount(for: payload)), bodyByteCount: UInt64(entry.body.count),
      bodyHash: entry.body.withUnsafeBytes { XXHash64.hash($0) })
  }

  /// Bytes of disk that the file will take.
  var diskByteCount: Int { EntryFile.diskByteCount(fileByteCount: header.fileByteCount) }

  /// Writes the whole file.
  func write(
    id: Int64, date: Date, isDurable: Bool, to path: String, in fileSystem: any FileSystem
  ) throws(DiskCacheError) {
    let prefix = prefix(id: id)
    let file = try FileDescriptor(path: path, flags: O_WRONLY | O_CREAT | O_TRUNC, in: fileSystem)
    try file.write(prefix, at: 0)
    try file.write(body, at: prefix.count)
    try file.setModificationDate(date)
    if isDurable { try file.sync() }
  }

  /// Everything but the body.
  private func prefix(id: Int64) -> [UInt8] {
    var header = header
    header.id = id
    let count = Int(header.slotByteCount)
    let empty = [UInt8](repeating: 0, count: count)
    let slot = MetadataSlot(generation: 1, isPinned: false, payload: payload).encoded(slotByteCount: count)
    return header.encoded + Array(key.text.utf8) + (slot ?? empty) + empty
  }
}
