import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport
import Foundation

/// The keys of one request, from what is fetched to what is shown.
struct RequestKeys: Sendable {
  /// ``fetch`` and everything that changes the pixels.
  let image: CacheKey
  private let fetchText: String

  /// The keys of a request, or of its image after only the first processors.
  init(_ request: ImageRequest) {
    fetchText = Self.fetchText(request)
    var text = fetchText
    if request.size != .original { text += CacheKey.field("size", request.size.description) }
    for processor in request.processors { text += CacheKey.field("process", processor.identifier) }
    if request.optionsBox != nil, let frames = request.framesField { text += frames }
    image = CacheKey(text)
  }

  /// Everything that changes the encoded bytes.
  var fetch: CacheKey { CacheKey(fetchText) }

  /// ``fetch`` alone.
  static func fetch(_ request: ImageRequest) -> CacheKey { CacheKey(fetchText(request)) }

  /// What the image is stored under in the form that a profile gives it; `nil` for a profile that keeps no images.
  func variant(_ profile: StoragePolicy) -> CacheKey? { profile.keyText.map { image.adding("stored", $0) } }

  private static func fetchText(_ request: ImageRequest) -> String {
    var text = request.source.keySource.field
    // Header values may be secrets, and keys are written to disk: only their hashes go in.
    for field in request.headers.fields.isEmpty ? [] : request.headers.sortedFields {
      text += CacheKey.field("header", "\(field.name.lowercased()):\(KeyDigest(field.value).hexadecimal)")
    }
    if let identity = request.identity { text += CacheKey.field("for", KeyDigest(identity).hexadecimal) }
    return text
  }
}

extension ImageRequest {
  /// What tells the image by which pictures of an animation are there, and processed.
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

  /// An address as part of a key. Inline data and passwords are shortened to their hashes.
  private static func shortened(_ text: String) -> String {
    // Only a text with this sign can have a password, and only a long one is worth shortening: most are done here.
    if text.hasByte(UInt8(ascii: "@")), let url = URL(string: text), url.hasCredentials {
      return "\(url.withoutCredentials.absoluteString) as \(KeyDigest(text).hexadecimal)"
    }
    guard text.utf8.count > 4096, text.prefix(5).lowercased() == "data:" else { return text }
    return "data:\(text.utf8.count):\(KeyDigest(text).hexadecimal)"
  }
}
