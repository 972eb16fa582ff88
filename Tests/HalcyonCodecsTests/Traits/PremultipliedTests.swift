#if JXL && !IMAGEIO
import HalcyonImaging
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct PremultipliedTests {
  @Test func `a colour that a file states above its alpha is limited to it`() throws {
    let file = try Fixture.data("cases/jxl-premultiplied-colour-above-alpha.jxl")
    let bitmap = try JPEGXLDecoder().decode(file, options: DecodingOptions()).bitmap
    #expect(!bitmap.isOpaque && bitmap.hasTransparentPixel)
    for row in 0..<bitmap.size.height {
      for column in 0..<bitmap.size.width {
        let color = bitmap.color(column, row)
        #expect(max(color.x, color.y, color.z) <= color.w)
      }
    }
  }
}
#endif
