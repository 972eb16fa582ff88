package import Foundation

/// The decoders of a pipeline by format, in a table since each load looks them up several times.
package final class DecoderTable: Sendable {
  private let decoders: [ImageFormat: any ImageDecoder]
  /// The decoders with custom formats, which detect these themselves.
  private let customDecoders: [any ImageDecoder]

  /// - Parameter decoders: If several have the same format, the first is used.
  package init(_ decoders: [any ImageDecoder]) {
    var table: [ImageFormat: any ImageDecoder] = [:]
    for decoder in decoders {
      for format in decoder.formats where table[format] == nil { table[format] = decoder }
    }
    self.decoders = table
    customDecoders = decoders.filter { decoder in
      decoder.formats.contains { if case .custom = $0 { true } else { false } }
    }
  }

  /// The decoder of a format.
  package func decoder(for format: ImageFormat) throws(ImageDecodingError) -> any ImageDecoder {
    guard let decoder = decoders[format] else { throw .unsupportedFormat(format) }
    return decoder
  }

  /// The format of a file that begins with these bytes: a custom format of a decoder, otherwise a built-in one; `nil` if
  /// it is unknown, or if more bytes are needed.
  package func format(sniffing bytes: Data, isComplete: Bool) -> ImageFormat? {
    if !isComplete, bytes.count < ImageFormat.shortSniffByteCount, !customDecoders.isEmpty { return nil }
    for decoder in customDecoders {
      if let format = decoder.format(sniffing: bytes) { return format }
    }
    return ImageFormat(sniffing: bytes)
  }
}
