import HalcyonHTTP
@_spi(Programs) import HalcyonImaging
import HalcyonSupport

extension PipelineConfiguration {
  /// The header fields of all requests: `User-Agent`, and `Accept` with the formats that the decoders read.
  static func defaultHeaders(_ decoders: [any ImageDecoder]) -> HTTPHeaders {
    ["Accept": acceptField(decoders), "User-Agent": "Halcyon/\(HalcyonVersion.current)"]
  }

  /// The field by which servers choose among several formats of an image, weighted as in browsers (RFC 9110, 12.5.1).
  private static func acceptField(_ decoders: [any ImageDecoder]) -> String {
    // The others are larger (BMP, TIFF) or decode slowly (HEIC), and are accepted if there is nothing else.
    let types = Set(decoders.flatMap(\.formats)).compactMap { format in
      format.abilities.acceptRank.map { (rank: $0, type: format.mediaType) }
    }
    let sorted = types.sorted { ($0.rank, $0.type) < ($1.rank, $1.type) }.map(\.type)
    return (sorted + ["image/*;q=0.8", "*/*;q=0.5"]).joined(separator: ",")
  }
}
