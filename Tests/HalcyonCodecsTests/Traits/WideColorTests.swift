import HalcyonImaging
import Foundation
import HalcyonCodecs
import TestTraits
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

  @Test func `high dynamic range is clipped to white and reported`() throws {
    let file = try Fixture.data("avif/colors_text_hdr_rec2020.avif")
    let image = try AVIFDecoder().decode(file, options: DecodingOptions(size: .fit(width: 50, height: 50)))
    #expect(image.info.bitDepth == 10)
    #expect(image.info.droppedContent == [.highDynamicRange])
    #expect(image.bitmap.color(25, 49) == Color(255, 255, 255, 255))
    let red = image.bitmap.color(0, 0)
    #expect(red.x > 240 && red.y < 40, "\(red)")
  }
  #endif

  #if JXL
  @Test func `a PQ gradient rises to reference white`() throws {
    let file = try Fixture.data("jxl/pq_gradient.jxl")
    let image = try JPEGXLDecoder().decode(file, options: DecodingOptions())
    #expect(image.info.droppedContent == [.highDynamicRange])
    let greys = (0..<17).map { image.bitmap.color($0 * 64 + 32, 32).x }
    #expect(greys == greys.sorted())
    #expect(greys[0] < 8 && greys[16] == 255, "\(greys)")
  }

  @Test func `a codestream in a box with a 64-bit size is decoded`() throws {
    let file = try Fixture.data("jxl/boxes__square-extended-size-container.jxl")
    #expect(try JPEGXLDecoder().decode(file, options: DecodingOptions()).size == PixelSize(width: 8, height: 8))
  }
  #endif
}
