import HalcyonCodecs
import HalcyonCore
import Testing

struct StandardCodecsTests {
  @Test func `what can be written can be read`() {
    let readable = StandardCodecs.decoders.reduce(into: Set()) { $0.formUnion($1.formats) }
    #expect(StandardCodecs.encoders.map(\.format).allSatisfy(readable.contains))
    #expect(readable.isSuperset(of: [.jpeg, .png]))
  }

  @Test func `a trait brings its format, and nothing else does`() {
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
}
