import HalcyonBackend
import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct FormatChoiceTests {
  @Test(
    arguments: [
      (nil, nil), ("", nil), ("*/*", nil), ("image/*,*/*;q=0.8", nil), ("text/html,image/webp", .webp),
      ("image/webp,image/avif", .avif), ("image/avif;q=0.5, image/webp;q=0.9", .webp),
      ("image/avif ; q=0.9 , image/webp; q=0.9", .avif), ("image/avif;q=0,image/webp;q=0.1", .webp),
      ("image/avif;q=0", nil), ("IMAGE/WEBP", .webp), ("image/webp;v=1;Q=0", nil), ("image/avif;q=x", .avif),
      ("image/avif;q=0.1,image/avif,image/webp;q=0.5", .webp), (";q=1,,image/webp", .webp), ("image/avif2", nil),
    ] as [(String?, ImageFormat?)])
  func `a client gets the format to which it gives the highest weight`(accept: String?, format: ImageFormat?) {
    #expect(FormatChoice([.avif, .webp]).format(accepting: accept) == format)
  }

  @Test func `of equal weights the first format is chosen`() {
    let accept = "image/avif,image/webp"
    #expect(FormatChoice([.webp, .avif]).format(accepting: accept) == .webp)
    #expect(FormatChoice([]).format(accepting: accept) == nil)
  }
}
