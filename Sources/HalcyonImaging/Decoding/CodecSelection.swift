extension Sequence<any ImageDecoder> {
  /// The decoder of a format: the first that lists it.
  package func decoder(for format: ImageFormat) throws(ImageDecodingError) -> any ImageDecoder {
    guard let decoder = first(where: { $0.formats.contains(format) }) else { throw .unsupportedFormat(format) }
    return decoder
  }
}

extension Sequence<any ImageEncoder> {
  /// The encoder of a format: the first that writes it.
  package func encoder(for format: ImageFormat) throws(ImageEncodingError) -> any ImageEncoder {
    guard let encoder = first(where: { $0.format == format }) else { throw .unsupportedFormat(format) }
    return encoder
  }
}
