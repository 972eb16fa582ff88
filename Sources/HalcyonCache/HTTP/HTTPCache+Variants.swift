import HalcyonSupport
import HalcyonHTTP
import Foundation

/// Where the variants of one address are. The first is under the key itself and lists them all; the others are each
/// under a key that adds the hashes of their request's values.
extension HTTPCache {
  func find(_ key: CacheKey, requestHeaders: HTTPHeaders) async -> StoredResponse {
    let answer = await answer(for: key)
    guard let first = answer.value else { return StoredResponse(key: key, miss: answer.miss ?? .absent) }
    let variants = first.metadata.variants
    var found = StoredResponse(key: key, variants: variants)
    guard !variants.isEmpty else {
      // Without a list the answer fits all requests, unless another program stored it without its variant.
      if VariantKey(of: first.metadata.headers, requestHeaders: [:])?.fields.isEmpty == true { found.entry = first }
      return found
    }
    guard let variant = variants.first(where: { $0.matches(requestHeaders) }) else { return found }
    if variant == first.metadata.variant {
      found.entry = first
    } else {
      found.key = key.variant(variant)
      let answer = await self.answer(for: found.key)
      found.entry = answer.value
      found.miss = answer.miss ?? .absent
    }
    return found
  }

  /// A store that fails is a store without the entry.
  private func answer(for key: CacheKey) async -> CacheResult<StoredEntry> {
    (try? await dataStore.lookUp(key)) ?? .miss(.failed)
  }

  func place(_ draft: StorableResponse, body: Data) async throws {
    let (key, new) = (draft.key, draft.metadata.variant)
    // The list may have changed since the look-up. An answer for all requests needs it only to clear away the others.
    let first = new == nil ? nil : try await dataStore.entry(for: key)?.metadata
    let plan = VariantPlan(
      adding: new, for: draft.requestHeaders, first: first?.variant, known: first?.variants ?? draft.knownVariants)
    var entry = StoredEntry(body: body, metadata: draft.metadata)
    if plan.takesFirstPlace {
      entry.metadata.variants = plan.variants
      try await dataStore.store(entry, for: key)
    } else if var first, let new {
      try await dataStore.store(entry, for: key.variant(new))
      first.variants = plan.variants
      try await dataStore.updateMetadata(first, for: key)
    }
    for variant in plan.dropped { try await dataStore.removeEntry(for: key.variant(variant)) }
  }
}

/// What a store has for a request.
struct StoredResponse: Sendable {
  var entry: StoredEntry?
  var key: CacheKey
  var variants: [VariantKey] = []
  /// Why there is no entry, where there is none.
  var miss = CacheMiss.absent
}

/// How a new answer goes among the variants known for its address.
struct VariantPlan: Equatable {
  /// The list afterwards, the newest first.
  let variants: [VariantKey]
  /// Whether the new answer is stored under the key itself.
  let takesFirstPlace: Bool
  /// Variants whose entries, under keys of their own, are no longer wanted.
  let dropped: [VariantKey]

  /// - Parameters:
  ///   - new: What the new answer fits; `nil` when it fits all requests.
  ///   - first: The variant under the key itself; `nil` where nothing is, or something that fits all requests.
  init(adding new: VariantKey?, for requestHeaders: HTTPHeaders, first: VariantKey?, known: [VariantKey]) {
    let remaining = known.filter { new != nil && !$0.matches(requestHeaders) }
    let kept = remaining.prefix(HTTPCache.variantLimit - 1)
    let isFirstKept = first.map { kept.contains($0) } ?? false
    variants = [new].compactMap(\.self) + kept
    takesFirstPlace = !isFirstKept
    dropped = known.filter { $0 != first && !kept.contains($0) && !(isFirstKept && $0 == new) }
  }
}

extension CacheKey {
  /// What a variant other than the first is stored under.
  func variant(_ variant: VariantKey) -> CacheKey {
    adding("variant", variant.fields.map { "\($0.name):\($0.value)" }.joined(separator: ","))
  }
}
