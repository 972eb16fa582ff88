import HalcyonImaging
import Foundation
@testable import HalcyonCodecs
import Testing

/// A file of the folder `formats`, and its pixels as decoded by Pillow.
enum FormatFixture {
  static let stills: [String] = [
    names(
      "bmp", "rgb24", "rgb24-top-down", "rgb32-bitfields", "rgb555", "rgb565", "rgba32", "pal1", "pal4", "pal8",
      "bits1", "core4", "os2-hotspot", "rle4", "rle8", "top-down"),
    names("ico", "sizes", "png", "mask24"),
    names(
      "tiff", "raw", "lzw", "deflate", "jpeg", "packbits", "alpha", "palette", "bilevel", "cmyk", "grey16", "turned",
      "big", "pages"),
    names("webp", "lossy", "lossless", "alpha", "alpha-lossless", "turned"),
    names("gif", "still", "interlaced", "transparent"),
  ].flatMap { $0 }

  static let animations: [String] = [
    names("gif", "solid", "keep", "clear", "restore"),
    names("webp", "lossy-animated", "alpha-animated"),
    names("apng", "keep-over", "keep-source", "clear-over", "clear-source", "restore-over", "restore-source"),
  ].flatMap { $0 }

  private static func names(_ suffix: String, _ names: String...) -> [String] { names.map { "\($0).\(suffix)" } }

  /// A file of the folder `formats`, or of a path.
  static func data(_ name: String) throws -> Data { try Fixture.data(name.contains("/") ? name : "formats/" + name) }

  /// The expected pixels; animations have their frames stacked vertically.
  static func golden(_ name: String) throws -> Bitmap {
    try PNGDecoder().decode(Fixture.data("formats/\(name).png"), options: DecodingOptions()).bitmap
  }

  static func format(_ name: String) throws -> ImageFormat {
    try #require(ImageFormat(sniffing: data(name)))
  }

  static func decoder(_ name: String) throws -> any ImageDecoder { try StandardCodecs.decoder(of: data(name)) }

  static func animatedDecoder(_ name: String) throws -> any AnimatedImageDecoder {
    try #require(decoder(name) as? any AnimatedImageDecoder)
  }
}
