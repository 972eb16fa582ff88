import Foundation
import Halcyon

/// An image that can be decoded at other sizes.
struct CorpusFile {
  let url: URL
  let format: ImageFormat
  let info: ImageInfo
  /// Whether it is a JPEG image that comes in several scans.
  let isProgressive: Bool
  let decoder: any ImageDecoder
  let bytes: Data

  var pixelCount: Int { info.storedSize.pixelCount }
  var name: String { url.lastPathComponent }

  /// The format, for JPEG with the way it is stored.
  var kind: String {
    format == .jpeg ? "jpeg_" + (isProgressive ? "progressive" : "baseline") : format.rawValue
  }

  /// `nil` when this build does not read the file, which is said for images.
  init?(_ url: URL) {
    guard let bytes = try? Data(contentsOf: url), let format = ImageFormat(sniffing: bytes) else { return nil }
    guard let decoder = StandardCodecs.decoders.first(where: { $0.formats.contains(format) }) else {
      print("skipped \(url.lastPathComponent): this build does not read \(format.rawValue)")
      return nil
    }
    guard let info = try? decoder.probe(bytes, isComplete: true), info.frameCount == 1 else {
      print("skipped \(url.lastPathComponent): it is no still image that can be decoded")
      return nil
    }
    self.url = url
    self.format = format
    self.info = info
    self.decoder = decoder
    self.bytes = bytes
    isProgressive = format == .jpeg && bytes.firstRange(of: Data([0xFF, 0xC2, 0x00])) != nil
  }
}
