import HalcyonImaging
import HalcyonCodecs
import Testing

@Suite(.timeLimit(.minutes(10)))
struct StandardCodecsTests {
  @Test func `every format with an encoder has a decoder`() {
    let readable = StandardCodecs.decoders.reduce(into: Set()) { $0.formUnion($1.formats) }
    #expect(StandardCodecs.encoders.map(\.format).allSatisfy(readable.contains))
    #expect(readable.isSuperset(of: [.jpeg, .png, .gif, .webp, .bmp, .ico, .tiff]))
  }

  @Test func `each format trait adds exactly its format`() {
    let readable = StandardCodecs.decoders.reduce(into: Set()) { $0.formUnion($1.formats) }
    var expected: Set<ImageFormat> = []
    #if AVIF
    expected.insert(.avif)
    #endif
    #if HEIF
    expected.insert(.heic)
    #endif
    #if JXL
    expected.insert(.jpegXL)
    #endif
    #if SVG
    expected.insert(.svg)
    #endif
    #expect(readable.intersection([.avif, .heic, .jpegXL, .svg]) == expected)
  }

  @Test func `supported formats list decoders, animations and encoders`() {
    let formats = SupportedFormats(decoders: StandardCodecs.decoders, encoders: StandardCodecs.encoders)
    #expect(formats.readable.isSuperset(of: formats.animated.union(formats.writable)))
    #expect(formats.animated.isSuperset(of: [.png, .gif, .webp]))
    #expect(formats.writable.isSuperset(of: [.jpeg, .png, .webp, .gif]))
  }
}
