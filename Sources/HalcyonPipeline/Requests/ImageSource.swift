import HalcyonSupport
public import Foundation
public import HalcyonImaging

/// Where an image comes from. Sources are equal if their kinds and keys are; the key of a URL is the URL.
///
/// ```swift
/// let photo = ImageRequest(source: .url(url))
/// let icon = ImageRequest(source: .data(bytes, key: "icon"))
/// let cover = ImageRequest(source: .data(key: "book/7/cover") { try Data(contentsOf: file) })
/// ```
///
/// The tasks of closures are cancelled once no load waits for them. Their errors fail the load with
/// ``ImageError/providerFailed(key:cause:)``.
public struct ImageSource: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case url(URL)
    case string(String)
    case keyed(URL, key: String)
    case data(Data, key: String)
    case provider(Provider<Data>)
    case decoded(Provider<DecodedImage>)
    case resolver(Provider<URL>)
    /// A source for which the mapper of a pipeline has thrown.
    indirect case rejected(ImageSource, ImageError)
  }

  /// A closure of the caller.
  package struct Provider<Value: Sendable>: Sendable {
    package let key: String
    /// Whether the closure only throws that the image is not cached.
    var isEmpty = false
    let load: @Sendable () async throws -> Value
  }

  package let kind: Kind

  /// The URL, if it is known without calling a closure.
  public var url: URL? {
    switch kind {
    case .url(let url), .keyed(let url, key: _): url
    case .string(let text): URL(string: text)
    case .data, .provider, .decoded, .resolver: nil
    case .rejected(let source, _): source.url
    }
  }

  /// No source: the image that is cached under a key.
  static func onlyCached(key: String) -> ImageSource {
    ImageSource(.provider(Provider(key: key, isEmpty: true) { throw ImageError.notCached(key: key) }))
  }

  /// A source whose loads fail with an error.
  static func rejected(_ source: ImageSource, _ error: ImageError) -> ImageSource {
    ImageSource(.rejected(source, error))
  }

  /// Why all loads of it fail; `nil` for any other source.
  var rejection: ImageError? {
    if case .rejected(_, let error) = kind { error } else { nil }
  }

  /// Whether there is no source besides the caches.
  var isOnlyCached: Bool {
    if case .provider(let provider) = kind { provider.isEmpty } else { false }
  }

  private init(_ kind: Kind) {
    self.kind = kind
  }

  /// An `http`, `https`, `file` or `data` URL.
  public static func url(_ url: URL) -> ImageSource { ImageSource(.url(url)) }

  /// A URL that may change, cached under a key that does not.
  public static func url(_ url: URL, key: String) -> ImageSource { ImageSource(.keyed(url, key: key)) }

  /// A signed URL, cached without its signature.
  public static func url(_ url: URL, signature: URLSignature) -> ImageSource { .url(url, key: signature.key(for: url)) }

  /// An `http` or `https` URL that a closure resolves only when no cache has the image, for example at a storage
  /// service that issues a temporary URL for a path.
  ///
  /// Called in each attempt, again after a wait for a connection, and once more after status 401 or 403, so URLs may expire
  /// within seconds.
  public static func url(key: String, resolve: @escaping @Sendable () async throws -> URL) -> ImageSource {
    ImageSource(.resolver(Provider(key: key, load: resolve)))
  }

  /// A file of a bundle, for example `.resource("wait.gif")`; one that is missing fails the load with
  /// ``ImageError/unreadableFile(path:code:)``.
  ///
  /// Of `wait@3x.gif`, `wait@2x.gif` and `wait.gif` it is the one with the most pixels: a view decodes it at its own size.
  ///
  /// - Parameters:
  ///   - name: The name of the file; without an extension the first image with that name is found.
  ///   - bundle: The bundle. Default: that of the program.
  public static func resource(_ name: String, in bundle: Bundle = .main) -> ImageSource {
    .url(BundleImage(name, in: bundle).url)
  }

  /// The text of a URL, parsed when the image is loaded; one that is invalid fails the load with
  /// ``ImageError/invalidURL(_:)``.
  public static func string(_ text: String) -> ImageSource { ImageSource(.string(text)) }

  /// Encoded bytes.
  ///
  /// - Parameters:
  ///   - data: The bytes of a file.
  ///   - key: Identifies them in caches; `nil` for a hash of all bytes, which is made here.
  public static func data(_ data: Data, key: String? = nil) -> ImageSource {
    ImageSource(.data(data, key: key ?? KeyDigest(data).hexadecimal))
  }

  /// Encoded bytes from a closure, for example from a database or an archive.
  public static func data(key: String, load: @escaping @Sendable () async throws -> Data) -> ImageSource {
    ImageSource(.provider(Provider(key: key, load: load)))
  }

  /// A decoded image from a closure, for example of a video frame, a page of a document, or a map, in its original size.
  ///
  /// It is processed, cached in memory and shared by concurrent requests like any other. The store has it encoded, an
  /// animation as its own bytes and any other image by ``StoragePolicy/automatic``; requests with a smaller target size, and
  /// those for encoded bytes, use that form as well, so the pipeline needs encoders for PNG and JPEG.
  public static func image(key: String, load: @escaping @Sendable () async throws -> DecodedImage) -> ImageSource {
    ImageSource(.decoded(Provider(key: key, load: load)))
  }
}

/// Kinds are compared by their keys.
extension ImageSource.Kind {
  package static func == (left: Self, right: Self) -> Bool { left.identity == right.identity }

  package func hash(into hasher: inout Hasher) { hasher.combine(identity.key) }

  /// A number for the kind, and the key.
  fileprivate var identity: (number: Int, key: String) {
    switch self {
    case .url(let url): (0, url.absoluteString)
    case .string(let text): (1, text)
    case .keyed(_, let key): (2, key)
    case .data(_, let key): (3, key)
    case .provider(let provider): (4, provider.key)
    case .decoded(let provider): (5, provider.key)
    case .resolver(let resolver): (6, resolver.key)
    case .rejected(let source, _): (7, source.kind.identity.key)
    }
  }
}
