import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport

extension PipelineConfiguration {
  /// The header fields of all requests: `User-Agent`, and `Accept` with the formats that the decoders read.
  static func defaultHeaders(_ decoders: [any ImageDecoder]) -> HTTPHeaders {
    ["Accept": acceptField(decoders), "User-Agent": "Halcyon/\(HalcyonVersion.current)"]
  }

  /// The field by which servers choose among several formats of an image (RFC 9110, 12.5.1).
  private static func acceptField(_ decoders: [any ImageDecoder]) -> String {
    let readable = decoders.reduce(into: Set<ImageFormat>()) { $0.formUnion($1.formats) }
    let custom = readable.subtracting(ImageFormat.builtIn).map(\.mediaType).sorted()
    let types = ImageFormat.builtIn.filter(readable.contains).map(\.mediaType)
    return (types + custom + ["image/*;q=0.5", "*/*;q=0.3"]).joined(separator: ",")
  }
}
