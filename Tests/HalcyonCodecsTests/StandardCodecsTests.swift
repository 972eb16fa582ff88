import HalcyonCodecs
import HalcyonCore
import Testing

struct StandardCodecsTests {
  @Test func `what can be written can be read`() {
    let readable = StandardCodecs.decoders.reduce(into: Set()) { $0.formUnion($1.formats) }
    #expect(StandardCodecs.encoders.map(\.format).allSatisfy(readable.contains))
    #expect(readable == [.jpeg, .png, .gif, .webp, .bmp, .ico, .tiff])
  }
}
