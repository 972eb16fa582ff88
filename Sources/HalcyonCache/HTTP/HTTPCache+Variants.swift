import HalcyonSupport
import HalcyonHTTP
import Foundation

/// The variants of a response (`Vary`): the primary variant is stored under the key itself and lists all variants. Each
/// other variant is stored under a key of its own, which contains the hashes of its request's values. `VaryKey` decides
/// which of them matches a request.
extension HTTPCache {
  func find(_ key: CacheKey, requestHeaders: HTTPHeaders) async -> StoredResponse {
    let result = await entry(for: key)
    guard let primary = result.value else { return StoredResponse(key: key, miss: result.miss ?? .absent) }
    let variants = primary.metadata.variants
    var found = StoredResponse(key: key, variants: variants)
    guard !variants.isEmpty else {
      // Without variants the response matches all requests, unless another program stored it without its variant.
      if VaryKey(of: primary.metadata.vary, requestHeaders: [:])?.fields.isEmpty == true { found.entry = primary }
      return found
    }
    guard let variant = variants.first(where: { $0.matches(requestHeaders) }) else { return found }
    if variant == primary.metadata.variant {
      found.entry = primary
    } else {
      found.key = key.variant(variant)
      let result = await entry(for: found.key)
      found.entry = result.value
      found.miss = result.miss ?? .absent
    }
    return found
  }

  /// The key under which the response for a request is stored; `nil` if there is none. Reads no body.
  package func storedKey(for key: CacheKey, requestHeaders: HTTPHeaders) async throws -> CacheKey? {
    guard let primary = try await dataStore.metadata(for: key) else { return nil }
    guard !primary.variants.isEmpty else { return key }
    let variant = primary.variants.first { $0.matches(requestHeaders) }
    return variant.map { $0 == primary.variant ? key : key.variant($0) }
  }

  /// The entry under a key; a failure of the store is a miss.
  private func entry(for key: CacheKey) async -> CacheResult<StoredEntry> {
    (try? await dataStore.lookUp(key)) ?? .miss(.failed)
  }

  func insert(_ response: StorableResponse, body: Data) async throws {
    let (key, new) = (response.key, response.metadata.variant)
    // The list may have changed since the lookup. A response that matches all requests needs it only for removals.
    let primary = new == nil ? nil : try await dataStore.entry(for: key)?.metadata
    let plan = VariantPlan(
      adding: new, for: response.requestHeaders, primary: primary?.variant,
      known: primary?.variants ?? response.knownVariants)
    var entry = StoredEntry(body: body, metadata: response.metadata)
    if plan.isPrimary {
      entry.metadata.variants = plan.variants
      try await dataStore.store(entry, for: key)
    } else if var primary, let new {
      try await dataStore.store(entry, for: key.variant(new))
      primary.variants = plan.variants
      try await dataStore.updateMetadata(primary, for: key)
    }
    for variant in plan.removed { try await dataStore.removeEntry(for: key.variant(variant)) }
  }
}

/// The stored response for a request, or the reason of the miss.
struct StoredResponse: Sendable {
  var entry: StoredEntry?
  /// The key of ``entry``.
  var key: CacheKey
  var variants: [VaryKey] = []
  /// The reason of the miss, without an entry.
  var miss = CacheMiss.absent
}

/// How a new response is added to the known variants.
struct VariantPlan: Equatable {
  /// All variants afterwards, the newest first.
  let variants: [VaryKey]
  /// Whether the new response becomes the primary variant, stored under the key itself.
  let isPrimary: Bool
  /// Variants to remove, each stored under a key of its own.
  let removed: [VaryKey]

  /// - Parameters:
  ///   - new: The variant of the new response; `nil` if it matches all requests.
  ///   - primary: The variant stored under the key itself; `nil` without one, or if it matches all requests.
  ///   - known: The variants stored before.
  init(adding new: VaryKey?, for requestHeaders: HTTPHeaders, primary: VaryKey?, known: [VaryKey]) {
    let remaining = known.filter { new != nil && !$0.matches(requestHeaders) }
    let kept = remaining.prefix(HTTPCache.variantLimit - 1)
    let keepsPrimary = primary.map { kept.contains($0) } ?? false
    variants = [new].compactMap(\.self) + kept
    isPrimary = !keepsPrimary
    removed = known.filter { $0 != primary && !kept.contains($0) && !(keepsPrimary && $0 == new) }
  }
}

extension CacheKey {
  /// The key of a variant other than the primary one.
  func variant(_ variant: VaryKey) -> CacheKey {
    adding("variant", variant.fields.map { "\($0.name):\($0.value)" }.joined(separator: ","))
  }
}
