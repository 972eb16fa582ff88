import HalcyonImaging
import Foundation
import HalcyonCodecs
import Testing

/// A file of the folder `formats`, and its pixels as decoded by Pillow.
enum FormatFixture {
  static let stills =
    [
      "rgb24", "rgb24-top-down", "rgb32-bitfields", "rgb555", "rgb565", "rgba32", "pal1", "pal4", "pal8", "bits1",
      "core4", "os2-hotspot", "rle4", "rle8", "top-down",
    ].map { $0 + ".bmp" } + ["sizes", "png", "mask24"].map { $0 + ".ico" }
    + [
      "raw", "lzw", "deflate", "jpeg", "packbits", "alpha", "palette", "bilevel", "cmyk", "grey16", "turned", "big",
      "pages",
    ].map { $0 + ".tiff" } + ["lossy", "lossless", "alpha", "alpha-lossless", "turned"].map { $0 + ".webp" }
    + ["still", "interlaced", "transparent"].map { $0 + ".gif" }

  static let animations =
    ["solid", "keep", "clear", "restore"].map { $0 + ".gif" }
    + ["lossy-animated", "alpha-animated"].map { $0 + ".webp" }
    + ["keep", "clear", "restore"].flatMap { [$0 + "-over.apng", $0 + "-source.apng"] }

  static func data(_ name: String) throws -> Data { try Fixture.data("formats/" + name) }

  /// The expected pixels; animations have their frames stacked vertically.
  static func golden(_ name: String) throws -> Bitmap {
    try PNGDecoder().decode(Fixture.data("formats/\(name).png"), options: DecodingOptions()).bitmap
  }

  static func format(_ name: String) throws -> ImageFormat {
    try #require(ImageFormat(sniffing: data(name)))
  }

  static func decoder(_ name: String) throws -> any ImageDecoder {
    let format = try format(name)
    return try #require(StandardCodecs.decoders.first { $0.formats.contains(format) })
  }

  static func animatedDecoder(_ name: String) throws -> any AnimatedImageDecoder {
    try #require(decoder(name) as? any AnimatedImageDecoder)
  }
}
