import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport
import Foundation

/// The cache keys of a request: of its encoded bytes, its image, and the stored form of the image.
struct RequestKeys: Sendable {
  /// The key of the decoded image: ``fetch``, and everything else that changes the pixels.
  let image: CacheKey
  /// The length of the text of ``fetch``, with which the text of ``image`` begins, in bytes of UTF-8.
  private let fetchLength: Int

  /// Which version of a local file the keys are for: a file that has been written again is another image.
  enum FileVersion {
    /// The one on the disk, which is looked up.
    case current
    /// The one that was looked up last, for callers that must not wait for a disk.
    case remembered
    /// Any, for keys that are only compared with each other.
    case any
  }

  init(_ request: ImageRequest, file version: FileVersion = .current) {
    var fetchLength = 0
    image = KeyFields.key { fields in
      Self.appendFetchFields(of: request, version, to: &fields)
      fetchLength = fields.count
      Rendition.append(
        request.resolved.size, request.region, request.processors, request.resolved.colorSpace,
        request.resolved.dynamicRange, to: &fields)
      if let box = request.optionsBox {
        if let frames = request.framesValue { fields.append("frames", frames) }
        if let limit = request.resolved.originalPixelLimit, limit != .max { fields.append("within", String(limit)) }
        if let decoder = box.options.decoderHook { fields.append("decoder", decoder.identity) }
      }
    }
    self.fetchLength = fetchLength
  }

  /// The key of a preview of the image.
  var preview: CacheKey { image.adding("preview", "last") }

  /// The key under which it is remembered that the encoded bytes end too early.
  var whole: CacheKey { fetch.adding("whole", "") }

  /// The key of the encoded bytes: everything that changes them.
  var fetch: CacheKey {
    let text = image.text.utf8
    return fetchLength == text.count ? image : CacheKey(String(decoding: text.prefix(fetchLength), as: UTF8.self))
  }

  /// The key of the image encoded by `policy`; `nil` if the policy stores only the original bytes.
  func variant(_ policy: StoragePolicy) -> CacheKey? { policy.encoding.map { image.adding("stored", $0.keyText) } }

  private static func appendFetchFields(
    of request: ImageRequest, _ version: FileVersion, to fields: inout KeyFields
  ) {
    let source = request.source.keySource
    fields.append(source.name, source.text)
    if let file = source.file, let version = version.text(of: file) { fields.append("modified", version) }
    // Header values may be secret, and keys are written to disk: they contain only hashes of the values.
    for header in request.headers.fields.isEmpty ? [] : request.headers.sortedFields {
      fields.append("header", "\(header.name.lowercased()):\(KeyDigest(header.value).hexadecimal)")
    }
    if let identity = request.identity { fields.append("for", KeyDigest(identity).hexadecimal) }
    if let box = request.optionsBox {
      if let content = box.content { fields.append("method", content.method.name) }
      if let body = box.bodyHash { fields.append("body", body) }
      if let policy = box.policyValue { fields.append("policy", policy) }
      if box.options.allowsErrorImage == true { fields.append("errors", "images") }
    }
  }
}

extension RequestKeys.FileVersion {
  fileprivate func text(of file: String) -> String? {
    switch self {
    case .current: FileVersions.current(of: file)
    case .remembered: FileVersions.last(of: file)
    case .any: nil
    }
  }
}

extension CacheKey.Source {
  /// The `file:` URL of a local file; `nil` for other sources.
  var file: String? {
    // The first byte rules out web URLs quickly, since each look-up in memory checks this.
    guard case .url(let text) = self, text.utf8.first == UInt8(ascii: "f") else { return nil }
    return text.utf8.starts(with: "file:".utf8) ? text : nil
  }
}

extension CacheKey {
  /// The URL or the custom key of the source; the whole key if it is of another kind.
  var sourceText: String { source?.text ?? text }
}

extension AddressPolicy {
  /// The policy as a field of cache keys, so that images from addresses that it refuses are not found in caches filled
  /// under another policy; `nil` if every connection is allowed.
  var keyValue: String? {
    guard self != .any else { return nil }
    let scope =
      switch scope {
      case .any: "any"
      case .publicInternet: "public"
      case .listed: "listed"
      }
    let ranges = [allowed, denied].map { Set($0.map(\.description)).sorted().joined(separator: " ") }
    let ports = ports.map { $0.sorted().map(String.init).joined(separator: " ") } ?? "all"
    return KeyDigest(([scope] + ranges + [ports]).joined(separator: "\n")).hexadecimal
  }
}

extension ImageRequest {
  /// The part of the key for the frames of an animation: which are loaded, and whether they are processed.
  fileprivate var framesValue: String? {
    if resolved.animation == .firstFrame { return "first" }
    return processesFrames ? "processed" : nil
  }
}

extension ImageSource {
  /// The source as the first field of a cache key.
  var keySource: CacheKey.Source {
    switch kind {
    case .url(let url): .url(Self.keyText(url.absoluteString))
    case .string(let text): .url(Self.keyText(text))
    case .keyed(_, let key), .data(_, let key): .custom(key)
    case .provider(let provider): .custom(provider.key)
    case .decoded(let provider): .custom(provider.key)
    case .resolver(let resolver): .custom(resolver.key)
    // No image is cached under it.
    case .rejected(let source, _): .custom("rejected \(source.keySource.text)")
    }
  }

  /// A URL as part of a key, in the form that equal URLs share.
  private static func keyText(_ text: String) -> String {
    WebAddress.isNormal(text) ? text : shortened(WebAddress.normalized(text) ?? text)
  }

  /// A URL without its fragment, which is not sent, and with hashes in place of inline data and of passwords.
  private static func shortened(_ text: String) -> String {
    if text.hasByte(UInt8(ascii: "#")) { return shortened(String(text.utf8.prefix { $0 != UInt8(ascii: "#") }) ?? "") }
    // Fast paths: a URL with a password contains “@”, and only a long `data:` URL is worth hashing.
    if text.hasByte(UInt8(ascii: "@")), let url = URL(string: text), url.hasCredentials {
      return "\(url.withoutCredentials.absoluteString) as \(KeyDigest(text).hexadecimal)"
    }
    guard text.utf8.count > 4096, text.prefix(5).lowercased() == "data:" else { return text }
    return "data:\(text.utf8.count):\(KeyDigest(text).hexadecimal)"
  }
}
