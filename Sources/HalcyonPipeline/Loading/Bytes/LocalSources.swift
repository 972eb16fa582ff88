import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
@_spi(Programs) import HalcyonSupport

/// Sources without HTTP: files, data and closures of the caller.
extension CachingLoader {
  /// The result of a closure of the caller: the bytes, and the decoded image if it returned one.
  typealias Provided = (data: Data, image: DecodedImage?)

  func providedImage(
    _ load: Load, provide: @escaping @Sendable () async throws(ImageError) -> Provided
  ) async throws(ImageError) -> EncodedImage {
    let request = load.request
    if request.resolved.storeAccess.reads, !request.resolved.cachePolicy.contactsServerFirst {
      if let image = inFlight[load.inFlightKey] {
        load.report(.joined(.bytes))
        return image
      }
      if let image = await storedProvidedImage(load) { return image }
    } else {
      load.report(.storeMiss(.notRead))
    }
    guard request.resolved.cachePolicy.usesNetwork else { throw .notCached(key: load.key.sourceText) }
    let start = ContinuousClock.now
    let provided = try await LoadChain.calling(for: link(load.key), provide)
    load.record { $0.add(.transfer, since: start) }
    return try localImage(
      provided.data, of: load, decoded: provided.image, origin: .provider,
      isStorable: request.resolved.storeAccess.writes && provided.image?.isPartial != true)
  }

  /// Bytes that are made on a worker: megabytes of base64 would keep a cooperative thread busy for too long.
  func bytes(_ make: @escaping @Sendable () throws(ImageError) -> Data) async throws(ImageError) -> Data {
    do {
      return try await files.run { _ in try make() }
    } catch let error as ImageError {
      throw error
    } catch {
      throw .cancelled
    }
  }

  func contents(ofFile path: String, _ url: URL) throws(ImageError) -> Data {
    let byteLimit = configuration.limits.encodedByteCount
    do {
      return try Data(wholeFile: url, byteLimit: byteLimit)
    } catch {
      switch error {
      case .unreadable(let code): throw .unreadableFile(path: path, code: code)
      case .tooLarge: throw .responseTooLarge(byteLimit: byteLimit, url: url)
      }
    }
  }

  /// The version of a file; `nil` if it cannot be found.
  func version(ofFile url: URL) async -> String? {
    (try? await files.run { _ in FileVersions.current(of: url.absoluteString) }) ?? nil
  }

  /// A store that fails counts as a miss.
  private func storedProvidedImage(_ load: Load) async -> EncodedImage? {
    guard let store = configuration.store(for: load.request) else {
      load.report(.storeMiss(.notRead))
      return nil
    }
    let start = ContinuousClock.now
    let (result, tier) = await TierTrace.recording { (try? await store.lookUp(load.key)) ?? .miss(.failed) }
    load.record { $0.add(.storeRead, since: start, miss: result.miss, tier: tier) }
    let image = result.value.flatMap { storedImage($0, of: load) }
    load.reportLookUp(miss: image == nil ? result.miss ?? .damaged : nil, image)
    return image
  }

  /// A decoded image with its encoded form, as it is stored.
  func encoded(_ image: DecodedImage, of load: Load) async throws(ImageError) -> Provided {
    if let data = image.animation?.data { return (data, image) }
    do {
      let data = try await files.run { [renderer = configuration.renderer] _ in
        try renderer.encoded(image, as: Rendition.Encoding())
      }
      return (data ?? Data(), image)
    } catch {
      throw ImageError(rendering: error, url: load.key.sourceURL)
    }
  }

  func localImage(
    _ data: Data, of load: Load, decoded: DecodedImage? = nil, url: URL? = nil, version: String? = nil,
    origin: ImageOrigin, isStorable: Bool = false
  ) throws(ImageError) -> EncodedImage {
    let sourceURL = url ?? load.key.sourceURL
    guard !data.isEmpty else { throw .emptyResponse(url: sourceURL) }
    guard data.count <= configuration.limits.encodedByteCount else {
      throw .responseTooLarge(byteLimit: configuration.limits.encodedByteCount, url: sourceURL)
    }
    let now = configuration.time.now()
    var metadata = EntryMetadata(url: url, requestDate: now, responseDate: now)
    metadata.original = version.map { OriginalMark(ofFile: $0, received: now) }
    let storable = StorableResponse(metadata: metadata, key: load.key, requestHeaders: [:], knownVariants: [])
    let inspector = configuration.inspector(of: sourceURL, for: load.request)
    let earlier = load.resolved.cachePolicy.contactsServerFirst ? EncodedImage.EarlierBytes.unknown : .same
    let image = EncodedImage(
      data: data, metadata: metadata, info: try inspector.info(of: data), origin: origin,
      storable: isStorable ? storable : nil, decoded: decoded, trace: load.trace, watch: load.watch,
      earlier: origin == .provider ? earlier : nil)
    if isStorable { inFlight.insert(image, for: load.inFlightKey) }
    return image
  }
}

extension ImageSource {
  /// The URL of a file on this machine; `nil` for other sources.
  var file: URL? {
    if case .file(path: _, let url)? = try? ResolvedSource(self) { url } else { nil }
  }

  /// Whether a closure of the caller returns the image.
  var isProvided: Bool {
    switch kind {
    case .provider, .decoded: true
    case .url, .string, .keyed, .data, .resolver, .rejected: false
    }
  }

  /// Whether its stored entries expire by HTTP's rules.
  var followsHTTP: Bool { !isProvided && file == nil }
}

/// The bytes in a `data:` URL (RFC 2397), as browsers read it (https://fetch.spec.whatwg.org, 6).
enum DataURL {
  static func decode(_ url: String) throws(ImageError) -> Data {
    let bytes = Array(url.utf8.drop { $0 <= 0x20 }.prefix { $0 != UInt8(ascii: "#") })
    guard bytes.starts(with: "data:".utf8, by: { $0 | 0x20 == $1 | 0x20 }),
      let comma = bytes.firstIndex(of: UInt8(ascii: ","))
    else { throw .invalidDataURL(reason: "there is no comma after the type") }
    let data = bytes[(comma + 1)...].percentDecoded
    guard isBase64(bytes[..<comma]) else { return Data(data) }
    guard let decoded = Data(base64Encoded: padded(data)) else {
      throw .invalidDataURL(reason: "the data after the comma is not base64")
    }
    return decoded
  }

  /// Whether the last parameter of a type is `base64`, with spaces anywhere around it.
  private static func isBase64(_ type: ArraySlice<UInt8>) -> Bool {
    guard let semicolon = type.lastIndex(of: UInt8(ascii: ";")) else { return false }
    let parameter = type[(semicolon + 1)...].filter { $0 > 0x20 }
    return parameter.map { $0 | 0x20 } == Array("base64".utf8).map { $0 | 0x20 }
  }

  /// Lenient base64: white space and padding are ignored, and the URL-safe alphabet is accepted.
  private static func padded(_ text: [UInt8]) -> Data {
    var symbols = text.compactMap { byte -> UInt8? in
      switch byte {
      case UInt8(ascii: " "), 9, 10, 12, 13: nil
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    while symbols.count % 4 != 0 { symbols.append(UInt8(ascii: "=")) }
    return Data(symbols)
  }
}
