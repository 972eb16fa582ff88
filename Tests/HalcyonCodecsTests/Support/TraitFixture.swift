import HalcyonImaging
import Foundation
@testable import HalcyonCodecs
import Testing

/// A file in a format that a package trait enables.
struct TraitFixture: CustomTestStringConvertible {
  let name: String
  /// The accepted mean difference of a channel to the golden image of another implementation.
  let tolerance: Double

  init(_ name: String, within tolerance: Double = 1) {
    self.name = name
    self.tolerance = tolerance
  }

  var testDescription: String { name }

  func data() throws -> Data { try Fixture.data(name) }

  /// The file as decoded by another implementation.
  func golden() throws -> Bitmap {
    let file = try Fixture.data("golden/\(name.replacing("/", with: "-")).png")
    return try PNGDecoder().decode(file, options: DecodingOptions()).bitmap
  }

  /// The decoder that a pipeline would use.
  func decoder() throws -> any ImageDecoder { try StandardCodecs.decoder(of: data()) }

  /// The files with a golden image, in formats that this build supports.
  static let withGolden: [TraitFixture] = avif + heif + jpegXL
  static let names = withGolden.map(\.name)

  /// The folders of formats with orientations that this build supports.
  static let folders: [String] = [avif, heif, jpegXL].compactMap { $0.first?.name.split(separator: "/").first }
    .map(String.init)

  #if AVIF
  private static let avif = [
    // Halcyon filters subsampled chroma; the other implementation does not.
    TraitFixture("avif/photo-420.avif", within: 1.5), TraitFixture("avif/photo-422-10bit.avif", within: 1.5),
    TraitFixture("avif/photo-grey-12bit.avif"), TraitFixture("avif/photo-limited.avif", within: 1.5),
    TraitFixture("avif/photo-rgb.avif"), TraitFixture("avif/clop_irot_imor.avif"),
    TraitFixture("avif/draw_points_idat.avif"), TraitFixture("avif/transparency.avif"),
  ]
  #else
  private static let avif: [TraitFixture] = []
  #endif

  #if HEIF
  private static let heif = [
    TraitFixture("heif/photo.heic", within: 2), TraitFixture("heif/photo-grid.heic", within: 2),
    TraitFixture("heif/photo-single.heic", within: 2), TraitFixture("heif/gradient-alpha.heic"),
    TraitFixture("heif/gradient-10b-displayp3-alpha.heic"),
    TraitFixture("heif/gradient-10b-srgb-opaque.heic"),
  ]
  #else
  private static let heif: [TraitFixture] = []
  #endif

  #if JXL
  private static let jpegXL = [
    TraitFixture("jxl/photo.jxl"), TraitFixture("jxl/gradient-alpha.jxl"),
    TraitFixture("jxl/spline_on_first_frame.jxl"),
  ]
  #else
  private static let jpegXL: [TraitFixture] = []
  #endif
}
