import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport
import Foundation

/// The cache keys of a request: of its encoded bytes, its image, and the stored form of the image.
struct RequestKeys: Sendable {
  /// The key of the decoded image: ``fetch``, and everything else that changes the pixels.
  let image: CacheKey
  private let fetchText: String

  init(_ request: ImageRequest) {
    fetchText = Self.fetchText(request)
    var text = fetchText
    if request.size != .original { text += CacheKey.field("size", request.size.description) }
    for processor in request.processors { text += CacheKey.field("process", processor.identifier) }
    if request.optionsBox != nil, let frames = request.framesField { text += frames }
    image = CacheKey(text)
  }

  /// The key of a preview of the image.
  var preview: CacheKey { image.adding("preview", "last") }

  /// The key of the encoded bytes: everything that changes them.
  var fetch: CacheKey { CacheKey(fetchText) }

  /// Makes only the key ``fetch``.
  static func fetch(_ request: ImageRequest) -> CacheKey { CacheKey(fetchText(request)) }

  /// The key of the image encoded by `policy`; `nil` if the policy stores only the original bytes.
  func variant(_ policy: StoragePolicy) -> CacheKey? { policy.keyText.map { image.adding("stored", $0) } }

  private static func fetchText(_ request: ImageRequest) -> String {
    var text = request.source.keySource.field
    // Header values may be secret, and keys are written to disk: they contain only hashes of the values.
    for field in request.headers.fields.isEmpty ? [] : request.headers.sortedFields {
      text += CacheKey.field("header", "\(field.name.lowercased()):\(KeyDigest(field.value).hexadecimal)")
    }
    if let identity = request.identity { text += CacheKey.field("for", KeyDigest(identity).hexadecimal) }
    if let field = request.optionsBox?.policyField { text += field }
    return text
  }
}

extension AddressPolicy {
  /// The policy as a field of cache keys, so that what it refuses is not found in caches that were filled under another
  /// policy; `nil` if every connection is allowed.
  var keyField: String? {
    guard self != .any else { return nil }
    let scope =
      switch scope {
      case .any: "any"
      case .publicInternet: "public"
      case .listed: "listed"
      }
    let ranges = [allowed, denied].map { Set($0.map(\.description)).sorted().joined(separator: " ") }
    let ports = ports.map { $0.sorted().map(String.init).joined(separator: " ") } ?? "all"
    return CacheKey.field("policy", KeyDigest(([scope] + ranges + [ports]).joined(separator: "\n")).hexadecimal)
  }
}

extension ImageRequest {
  /// The part of the key for the frames of an animation: which are loaded, and whether they are processed.
  fileprivate var framesField: String? {
    if firstFrameOnly { return CacheKey.field("frames", "first") }
    return processesFrames ? CacheKey.field("frames", "processed") : nil
  }
}

extension ImageSource {
  /// The source as the first field of a cache key.
  var keySource: CacheKey.Source {
    switch self {
    case .url(let url): .url(Self.shortened(url.absoluteString))
    case .string(let text): .url(Self.shortened(text))
    case .keyed(_, let key), .data(_, let key): .custom(key)
    case .provider(let provider): .custom(provider.key)
    case .resolver(let resolver): .custom(resolver.key)
    }
  }

  /// A URL as part of a key. Inline data and passwords are replaced by their hashes.
  private static func shortened(_ text: String) -> String {
    // Fast paths: a URL with a password contains “@”, and only a long `data:` URL is worth hashing.
    if text.hasByte(UInt8(ascii: "@")), let url = URL(string: text), url.hasCredentials {
      return "\(url.withoutCredentials.absoluteString) as \(KeyDigest(text).hexadecimal)"
    }
    guard text.utf8.count > 4096, text.prefix(5).lowercased() == "data:" else { return text }
    return "data:\(text.utf8.count):\(KeyDigest(text).hexadecimal)"
  }
}
