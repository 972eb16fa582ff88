import HalcyonCodecs
import HalcyonCore
import Testing

struct StandardCodecsTests {
  @Test func `what can be written can be read`() {
    let readable = StandardCodecs.decoders.reduce(into: Set()) { $0.formUnion($1.formats) }
    #expect(StandardCodecs.encoders.map(\.format).allSatisfy(readable.contains))
    #expect(readable == [.jpeg, .png, .gif, .webp, .bmp, .ico, .tiff])
  }

  @Test func `what can be read, played and written is told`() {
    let formats = SupportedFormats(decoders: StandardCodecs.decoders, encoders: StandardCodecs.encoders)
    #expect(formats.readable.isSuperset(of: formats.animated.union(formats.writable)))
    #expect(formats.animated == [.png, .gif, .webp])
    #expect(formats.writable == [.jpeg, .png, .webp, .gif])
  }
}
