package import Foundation

extension Sequence<any ImageDecoder> {
  /// The decoder of a format: the first that lists it.
  package func decoder(for format: ImageFormat) throws(ImageDecodingError) -> any ImageDecoder {
    guard let decoder = first(where: { $0.formats.contains(format) }) else { throw .unsupportedFormat(format) }
    return decoder
  }

  /// The format of a file that begins with these bytes: a custom format of a decoder, otherwise a built-in one; `nil` if
  /// it is unknown, or if more bytes are needed.
  package func format(sniffing bytes: Data, isComplete: Bool) -> ImageFormat? {
    if !isComplete, bytes.count < ImageFormat.sniffByteCount, readsCustomFormats { return nil }
    return lazy.compactMap { $0.format(sniffing: bytes) }.first ?? ImageFormat(sniffing: bytes)
  }

  private var readsCustomFormats: Bool {
    contains { decoder in
      decoder.formats.contains { if case .custom = $0 { true } else { false } }
    }
  }
}

extension Sequence<any ImageEncoder> {
  /// The encoder of a format: the first that writes it.
  package func encoder(for format: ImageFormat) throws(ImageEncodingError) -> any ImageEncoder {
    guard let encoder = first(where: { $0.format == format }) else { throw .unsupportedFormat(format) }
    return encoder
  }
}
