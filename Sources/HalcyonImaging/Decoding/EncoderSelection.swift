extension [any ImageEncoder] {
  /// The encoder of a format: the first that writes it.
  package func encoder(for format: ImageFormat) throws(ImageEncodingError) -> any ImageEncoder {
    guard let encoder = first(where: { $0.format == format }) else { throw .unsupportedFormat(format) }
    return encoder
  }
}
