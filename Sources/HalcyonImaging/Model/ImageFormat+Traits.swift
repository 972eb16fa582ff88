extension ImageFormat {
  /// How a build gets to read the format.
  var decodingAdvice: String { advice(reads: true) }

  /// How a build gets to write the format.
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

  /// The package trait that brings the codec, and the Debian package that the trait needs.
  private var trait: (name: String, debianPackage: String, writes: Bool)? {
    switch self {
    case .avif: ("AVIF", "libavif-dev", true)
    case .heic: ("HEIF", "libheif-dev", false)
    case .jpegXL: ("JXL", "libjxl-dev", true)
    case .svg: ("SVG", "librsvg2-dev", false)
    case .jpeg, .png, .gif, .webp, .bmp, .ico, .tiff: nil
    }
  }
}
