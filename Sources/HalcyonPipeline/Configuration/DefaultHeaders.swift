import HalcyonHTTP
@_spi(Programs) import HalcyonImaging
import HalcyonSupport

extension PipelineConfiguration {
  /// The header fields of all requests: `User-Agent`, and `Accept` with the formats that the decoders read.
  static func defaultHeaders(_ decoders: [any ImageDecoder]) -> HTTPHeaders {
    ["Accept": acceptField(decoders), "User-Agent": "Halcyon/\(HalcyonVersion.current)"]
  }

  /// The formats that `Accept` names. The others are larger (BMP, TIFF) or decode slowly (HEIC), and are accepted if
  /// there is nothing else.
  private static let wanted: [ImageFormat] = [.avif, .webp, .jpegXL, .svg, .png, .jpeg, .gif]

  /// The field by which servers choose among several formats of an image, weighted as in browsers (RFC 9110, 12.5.1).
  private static func acceptField(_ decoders: [any ImageDecoder]) -> String {
    let readable = decoders.reduce(into: Set<ImageFormat>()) { $0.formUnion($1.formats) }
    let custom = readable.subtracting(ImageFormat.builtIn).map(\.mediaType).sorted()
    let types = wanted.filter(readable.contains).map(\.mediaType)
    return (types + custom + ["image/*;q=0.8", "*/*;q=0.5"]).joined(separator: ",")
  }
}
