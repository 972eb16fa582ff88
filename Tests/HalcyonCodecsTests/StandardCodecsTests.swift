import HalcyonImaging
import HalcyonCodecs
import TestTraits
import Testing

@Suite(.integrationTest)
struct StandardCodecsTests {
  @Test func `every format with an encoder has a decoder`() {
    let readable = StandardCodecs.decoders.reduce(into: Set()) { $0.formUnion($1.formats) }
    #expect(StandardCodecs.encoders.map(\.format).allSatisfy(readable.contains))
    #expect(readable.isSuperset(of: [.jpeg, .png, .gif, .webp, .bmp, .ico, .tiff]))
  }

  @Test func `each format trait adds exactly its format`() {
    let readable = StandardCodecs.decoders.reduce(into: Set()) { $0.formUnion($1.formats) }
    var expected: Set<ImageFormat> = []
    #if AVIF || IMAGEIO
    expected.insert(.avif)
    #endif
    #if HEIF || IMAGEIO
    expected.insert(.heic)
    #endif
    #if JXL || IMAGEIO
    expected.insert(.jpegXL)
    #endif
    #if SVG && !IMAGEIO
    expected.insert(.svg)
    #endif
    #expect(readable.intersection([.avif, .heic, .jpegXL, .svg]) == expected)
  }

  @Test func `supported formats list decoders, animations and encoders`() {
    let formats = SupportedFormats(decoders: StandardCodecs.decoders, encoders: StandardCodecs.encoders)
    #expect(formats.readable.isSuperset(of: formats.animated.union(formats.writable)))
    #expect(formats.animated.isSuperset(of: [.png, .gif, .webp]))
    #if IMAGEIO
    #expect(formats.writable == [.jpeg, .png, .gif])
    #else
    #expect(formats.writable.isSuperset(of: [.jpeg, .png, .webp, .gif]))
    #endif
  }
}
