/// An image format, detected from the first bytes, never from a file name or a `Content-Type`.
@nonexhaustive
public enum ImageFormat: Hashable, Sendable {
  /// ITU-T T.81.
  case jpeg
  /// ISO/IEC 15948, still or animated.
  case png
  /// Graphics Interchange Format 87a or 89a.
  case gif
  /// RFC 9649.
  case webp
  /// Windows bitmap.
  case bmp
  /// Windows icon or cursor.
  case ico
  /// Tagged Image File Format 6.0, BigTIFF included.
  case tiff
  /// AV1 Image File Format.
  case avif
  /// HEIF with HEVC.
  case heic
  /// ISO/IEC 18181, a bare codestream or in its container.
  case jpegXL
  /// Scalable Vector Graphics.
  case svg
  /// A format of the program's own, which one of its decoders detects with ``ImageDecoder/format(sniffing:)``.
  ///
  /// The name is the extension of its files, for example `qoi`, and is none of the built-in formats'.
  case custom(String)
}

extension ImageFormat {
  /// All formats but those of programs.
  @_spi(Programs) public static let builtIn: [ImageFormat] = [
    .jpeg, .png, .gif, .webp, .bmp, .ico, .tiff, .avif, .heic, .jpegXL, .svg,
  ]

  /// The name of the format: `jpeg`, `png`, `jxl`, or the name of ``custom(_:)``.
  public var rawValue: String {
    switch self {
    case .jpeg: "jpeg"
    case .png: "png"
    case .gif: "gif"
    case .webp: "webp"
    case .bmp: "bmp"
    case .ico: "ico"
    case .tiff: "tiff"
    case .avif: "avif"
    case .heic: "heic"
    case .jpegXL: "jxl"
    case .svg: "svg"
    case .custom(let name): name
    }
  }

  /// The format of this name: a built-in one, otherwise ``custom(_:)``.
  public init(rawValue: String) {
    self = Self.builtIn.first { $0.rawValue == rawValue } ?? .custom(rawValue)
  }

  /// The media type, for `Content-Type` and `Accept`: the registered one, or `image/NAME` of a ``custom(_:)`` format.
  public var mediaType: String {
    switch self {
    case .jpegXL: "image/jxl"
    case .ico: "image/vnd.microsoft.icon"
    case .svg: "image/svg+xml"
    case .jpeg, .png, .gif, .webp, .bmp, .tiff, .avif, .heic, .custom: "image/\(rawValue)"
    }
  }

  /// The usual extension of file names, for example `jpg`.
  public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

  /// The format that files with this extension usually have, for example JPEG for `jpg` and `JPEG`; `nil` if it is none
  /// of these formats.
  public init?(fileExtension: String) {
    let name = fileExtension.lowercased()
    switch name {
    case "jpg", "jpe", "jfif": self = .jpeg
    case "tif": self = .tiff
    case "apng": self = .png
    case "heif": self = .heic
    case "svgz": self = .svg
    default:
      guard let format = Self.builtIn.first(where: { $0.rawValue == name }) else { return nil }
      self = format
    }
  }

  /// How to build with support for reading the format.
  var decodingAdvice: String { advice(reads: true) }

  /// How to build with support for writing the format.
  var encodingAdvice: String { advice(reads: false) }

  private func advice(reads: Bool) -> String {
    let part = reads ? "a decoder" : "an encoder"
    guard let trait, reads || trait.writes else {
      return "Add \(part) for it to the pipeline's configuration, or use another format."
    }
    return """
      Build with the package trait \(trait.name) (Debian: \(trait.debianPackage)), or add \(part) for it to the \
      pipeline's configuration.
      """
  }

  /// The package trait that adds the codec, and the Debian package that the trait needs; `nil` on Apple's systems, whose
  /// codecs are part of the system.
  private var trait: (name: String, debianPackage: String, writes: Bool)? {
    #if canImport(CoreGraphics)
    return nil
    #else
    switch self {
    case .avif: ("AVIF", "libavif-dev", true)
    case .heic: ("HEIF", "libheif-dev", false)
    case .jpegXL: ("JXL", "libjxl-dev", true)
    case .svg: ("SVG", "librsvg2-dev", false)
    case .jpeg, .png, .gif, .webp, .bmp, .ico, .tiff, .custom: nil
    }
    #endif
  }
}

extension ImageFormat: CustomStringConvertible {
  /// The name of the format, as ``rawValue``.
  public var description: String { rawValue }
}
