import HalcyonCache
import HalcyonSupport

/// New versions of originals: images made of an earlier version are removed, and never shown again.
///
/// Everything in the caches that is made of an original carries its ``OriginalMark``. When a load has received another
/// original, and knows that it is an image, all images of its source are removed from memory, and its entries from the
/// store, before anything made of the new one is stored there. Loads of the earlier one that are in flight store
/// nothing. The mark is also compared when a processed image is read from the store: some stores cannot remove by
/// source, and another process may have made the image meanwhile.
extension ImageLoader {
  /// Removes what was made of the bytes that the server sent before these.
  func replaceEarlier(by encoded: EncodedImage, _ load: Load) {
    guard let earlier = encoded.earlier, !encoded.watch.isRemovedFromStore,
      encoded.beginReplacing(inStore: load.resolved.storeAccess.writes)
    else { return }
    defer { encoded.endReplacing() }
    let (cache, key) = (load.cache, encoded.watch.key)
    if load.resolved.storeAccess.writes, cache.encodedStore != nil { cache.originals.record(encoded.mark, for: key) }
    let isKnown = load.memory?.staleImage?.facts.freshness.map { $0.version == encoded.version }
    guard earlier == .other || !(isKnown ?? (earlier == .same)) else { return }
    cache.removeReplacedFromMemory(ofSource: key.sourceText)
    unstoredImages.remove(ofSource: key.sourceText)
    guard load.resolved.storeAccess.writes, let store = configuration.store(for: load.request) else {
      return encoded.recordReplacement(nil)
    }
    encoded.recordReplacement(
      cache.writes.track(byteCount: encoded.data.count) {
        // The store reports its failures itself.
        try? await store.removeReplacedEntries(ofSource: key.sourceText)
      })
  }

  /// Whether a stored image was made of another version of a file, or of older bytes than those that are known, or stored.
  func isOutdated(_ entry: StoredEntry, _ load: Load) async -> Bool {
    if let file = load.request.source.file {
      let version = await bytes.version(ofFile: file).map { OriginalMark(ofFile: $0, received: .now).hash }
      return version == nil || entry.metadata.original?.hash != version
    }
    guard let mark = entry.metadata.original else { return false }
    let (originals, key) = (load.cache.originals, load.keys.fetch)
    if let newest = originals[key] { return mark.isOlder(than: newest) }
    let newest = await load.cache.storedMark(of: key)
    // The original is looked up once.
    originals.record(newest ?? mark, for: key)
    return newest.map { mark.isOlder(than: $0) } ?? false
  }
}
