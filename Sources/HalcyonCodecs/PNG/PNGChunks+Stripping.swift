import Foundation
import HalcyonImaging

extension PNGChunks {
  /// The chunks that change how an image is shown, besides the critical ones, which have capital letters.
  private static let shown: Set = [
    "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "mDCV", "cLLI", "sBIT", "bKGD", "hIST", "sPLT", "pHYs", "acTL",
    "fcTL",
    "fdAT",
  ]

  /// A PNG file without Exif, texts, times, unknown chunks, and anything after its end.
  static func stripped(_ file: Data) throws(ImageDecodingError) -> Data {
    let stripped = file.withUnsafeBytes { buffer -> Data? in
      var chunks = PNGChunks(Bytes(buffer))
      var stripped = Data(buffer.prefix(signatureByteCount))
      while let chunk = chunks.next() {
        if chunk.isCritical || shown.contains(chunk.name) { stripped.append(contentsOf: buffer[chunk.range]) }
        if chunk.name == "IEND" { return stripped }
      }
      return nil
    }
    guard let stripped else { throw .truncated(.png) }
    return stripped
  }
}
