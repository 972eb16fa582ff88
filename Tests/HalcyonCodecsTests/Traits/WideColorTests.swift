import HalcyonImaging
import Foundation
@testable import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct WideColorTests {
  #if AVIF
  @Test func `BT.2020 colours are converted to sRGB`() throws {
    let file = try Fixture.data("avif/colors_text_wcg_sdr_rec2020.avif")
    let image = try AVIFDecoder().decode(file, options: DecodingOptions())
    #expect(image.info.droppedContent.isEmpty)
    // A green outside the sRGB gamut, clipped to its greenest.
    let green = image.bitmap.color(199, 10)
    #expect(green.x == 0 && green.y > 230 && green.z < 60, "\(green)")
  }

  @Test func `high dynamic range is tone-mapped and reported`() throws {
    let file = try Fixture.data("avif/colors_text_hdr_rec2020.avif")
    let image = try AVIFDecoder().decode(file, options: DecodingOptions(size: .fit(width: 50, height: 50)))
    #expect(image.info.bitDepth == 10)
    #expect(image.info.droppedContent == [.highDynamicRange])
    let white = image.bitmap.color(25, 49)
    #expect(min(white.x, white.y, white.z) > 245, "\(white)")
    let red = image.bitmap.color(0, 0)
    #expect(red.x > 240 && red.y < 130, "\(red)")
  }

  #if !IMAGEIO
  @Test func `matrix coefficients that are not supported are named`() throws {
    let feature = "the matrix coefficients 10 of ITU-T H.273"
    #expect(throws: ImageDecodingError.unsupportedFeature(.avif, feature: feature)) {
      try AVIFDecoder().decode(Fixture.data("cases/avif-matrix-10.avif"), options: DecodingOptions())
    }
  }

  @Test func `colours that alpha has been multiplied into are kept as they are`() throws {
    var file = try Fixture.data("avif/draw_points_idat.avif")
    // Its coding becomes that of RGB, in which no channel of its translucent pixels is 0.
    file[try #require(file.firstRange(of: Data("nclx".utf8))).upperBound + 5] = 0
    let straight = try AVIFDecoder().decode(file, options: DecodingOptions()).bitmap.color(27, 5)
    let reference: [UInt8] = [0, 0, 0, 14] + Array("prem".utf8) + [0, 1, 0, 1, 0, 2]
    let alpha = try #require(file.firstRange(of: Data("auxl".utf8)))
    file.insert(contentsOf: reference, at: alpha.upperBound + 6)
    for type in ["meta", "iref"] { file[try #require(file.firstRange(of: Data(type.utf8))).lowerBound - 1] += 14 }
    let kept = try AVIFDecoder().decode(file, options: DecodingOptions()).bitmap.color(27, 5)
    #expect(kept.w == straight.w)
    #expect(abs(kept.x * kept.w / 255 - straight.x) <= 2, "\(kept), \(straight)")
    #expect(kept.x > straight.x + 20, "\(kept), \(straight)")
  }

  /// Where samples of chroma are, from the centre of the first luma sample to the right and down.
  @Test(arguments: [
    (SampleCoding.ChromaSiting.center, 0.5, 0.5), (.left, 0, 0.5), (.topLeft, 0, 0),
  ])
  func `chroma is interpolated from where its samples are`(
    _ siting: SampleCoding.ChromaSiting, _ right: Double, _ down: Double
  ) throws {
    for isHorizontal in [true, false] {
      // Red rises by 11 a sample of chroma.
      let red = (0..<256).map { (index: Int) -> UInt8 in UInt8(68 + 8 * (isHorizontal ? index % 16 : index / 16)) }
      let bitmap = try Self.bitmap(red, siting)
      for place in 6..<26 {
        let sample: Double = (Double(place) - (isHorizontal ? right : down)) / 2
        let expected: Double = 128 + 1.402 * (8 * sample - 60)
        let found = isHorizontal ? bitmap.color(place, 16).x : bitmap.color(16, place).x
        #expect(abs(Double(found) - expected) <= 1, "\(found), not \(expected)")
      }
    }
  }

  /// Grey of 32 by 32 pixels with a plane of red-difference samples.
  private static func bitmap(_ red: [UInt8], _ siting: SampleCoding.ChromaSiting) throws -> Bitmap {
    let size = PixelSize(width: 32, height: 32)
    var coding = SampleCoding()
    coding.chromaSiting = siting
    let grey = [UInt8](repeating: 128, count: 32 * 32)
    return try grey.withUnsafeBytes { grey in
      try red.withUnsafeBytes { red in
        let (luma, chroma) = (try #require(grey.baseAddress), try #require(red.baseAddress))
        let colors = [
          SamplePlanes.Plane(start: luma, bytesPerRow: 32),
          SamplePlanes.Plane(start: luma, bytesPerRow: 16, shiftX: 1, shiftY: 1),
          SamplePlanes.Plane(start: chroma, bytesPerRow: 16, shiftX: 1, shiftY: 1),
        ]
        let planes = try SamplePlanes(
          size: size, colors: colors, alpha: nil, color: ColorCoding(), coding: coding, format: .avif)
        let geometry = TargetSize.original.geometry(for: size)
        return try Resampler(format: .avif, geometry: geometry, graphs: ResampleGraphCache()).bitmap(isOpaque: true) {
          try SamplePlaneSource(
            WholeSamples(planes), PixelArea(size: size), highDynamicRange: nil, isCancelled: { false })
        }
      }
    }
  }
  #endif

  /// libavif 0.11 leaves out the alpha of a grid whose tiles have one each.
  @Test func `alpha is decoded, or the image is refused`() throws {
    let file = try Fixture.data("avif/color_grid_alpha_nogrid.avif")
    do {
      #expect(try AVIFDecoder().decode(file, options: DecodingOptions()).bitmap[0, 0].alpha == 0)
    } catch {
      #if !IMAGEIO
      let feature = "alpha that libavif leaves out"
      #expect(error as? ImageDecodingError == .unsupportedFeature(.avif, feature: feature))
      #endif
    }
  }

  @Test func `a crop may start between samples of chroma`() throws {
    let file = try Fixture.data("cases/avif-clap-odd-offset.avif")
    let image = try AVIFDecoder().decode(file, options: DecodingOptions())
    #expect(image.size == PixelSize(width: 64, height: 32) && image.info.storedSize == image.size)
  }

  /// The association box of a file whose pixels have offsets of their own, followed by an empty one.
  @Test func `two association boxes are no error, and more than 256 are one`() throws {
    let file = try Fixture.data("avif/draw_points_idat.avif")
    func repeated(_ count: Int) throws -> Data {
      var changed = file
      for type in ["meta", "iprp"] {
        let start = try #require(file.firstRange(of: Data(type.utf8))).lowerBound - 4
        let size = file[start..<start + 4].reduce(0) { $0 << 8 | Int($1) } + 16 * count
        changed.replaceSubrange(start..<start + 4, with: FileSurgery.bytes(size, count: 4))
      }
      let start = try #require(file.firstRange(of: Data("ipma".utf8))).lowerBound - 4
      let box = FileSurgery.bytes(16, count: 4) + Array("ipma".utf8) + [UInt8](repeating: 0, count: 8)
      for _ in 0..<count { changed.insert(contentsOf: box, at: start) }
      return changed
    }
    let doubled = try repeated(1)
    let image = try AVIFDecoder().decode(doubled, options: DecodingOptions())
    let same = try AVIFDecoder().decode(file, options: DecodingOptions())
    #expect(image.bitmap.largestDifference(to: same.bitmap) == 0)
    #expect(try AVIFDecoder().frameReader(for: doubled, options: DecodingOptions()).nextFrame() != nil)
    #expect(throws: ImageDecodingError.self) {
      try AVIFDecoder().decode(repeated(300), options: DecodingOptions())
    }
  }
  #endif

  #if JXL
  #if !IMAGEIO
  @Test func `four inks are converted by their profile`() throws {
    let image = try JPEGXLDecoder().decode(Fixture.data("color/inks.jxl"), options: DecodingOptions())
    let expected = try PNGDecoder().decode(
      Fixture.data("color/inks-jxl.expected.png"), options: DecodingOptions())
    #expect(image.info.colorModel == .cmyk && image.info.hasColorProfile && image.info.droppedContent == [])
    #expect(image.bitmap.isOpaque && image.bitmap.largestDifference(to: expected.bitmap) <= 2)
  }
  #endif

  @Test func `a PQ gradient rises to white`() throws {
    let file = try Fixture.data("jxl/pq_gradient.jxl")
    let image = try JPEGXLDecoder().decode(file, options: DecodingOptions())
    #expect(image.info.droppedContent == [.highDynamicRange])
    let greys = (0..<17).map { image.bitmap.color($0 * 64 + 32, 32).x }
    #expect(greys == greys.sorted() && Set(greys).count > 12, "\(greys)")
    #expect(greys[0] < 8 && greys[16] == 255, "\(greys)")
  }

  @Test func `a codestream in a box with a 64-bit size is decoded`() throws {
    let file = try Fixture.data("jxl/boxes__square-extended-size-container.jxl")
    #expect(try JPEGXLDecoder().decode(file, options: DecodingOptions()).size == PixelSize(width: 8, height: 8))
  }
  #endif
}
