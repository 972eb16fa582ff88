import Foundation
import HalcyonImaging

/// The limits of metadata in a PNG file, for codecs that have none of their own.
enum PNGSystemLimits {
  /// The limit that libspng gets as well, because a few compressed bytes can expand to gigabytes.
  private static let byteLimit = 4 << 20
  private static let imageNames: Set<String> = ["IHDR", "PLTE", "IDAT", "fdAT", "IEND"]

  /// How the system converts the colours of a file.
  ///
  /// - Throws: `ImageDecodingError.unsupportedFeature` for metadata over the limit.
  static func mapping(
    _ header: PNGHeader, in file: UnsafeRawBufferPointer, to space: ColorSpace
  ) throws(ImageDecodingError) -> ColorMapping {
    let tooLarge = ImageDecodingError.unsupportedFeature(.png, feature: "metadata over 4 MiB")
    var chunks = PNGChunks(Bytes(file))
    while let chunk = chunks.next() {
      if chunk.content.count > byteLimit, !imageNames.contains(chunk.name) { throw tooLarge }
    }
    guard let profile = header.color.profile else { return ColorMapping(colorSpace: space) }
    let content = UnsafeRawBufferPointer(rebasing: file[profile])
    guard let start = content.firstIndex(of: 0).map({ $0 + 2 }), start < content.count else {
      return ColorMapping(colorSpace: space, isUnusable: true)
    }
    let compressed = UnsafeRawBufferPointer(rebasing: content[start...])
    if InflatedContent(of: Data(compressed), .zlib, byteLimit: byteLimit).end == .overLimit { throw tooLarge }
    return .bySystem(PNGColor.inflated(content), model: header.info.colorModel, to: space)
  }
}
