#if SVG && !IMAGEIO
import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Documents that are sent to browsers.
@Suite(.unitTest)
struct SafeSVGTests {
  private func sanitized(_ content: String, root: String = "width=\"40\" height=\"30\"") async throws -> String {
    let namespaces = "xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\""
    let file = Data("<svg \(namespaces) \(root)>\(content)</svg>".utf8)
    return String(decoding: try await StandardCodecs.sanitizedSVG(file), as: UTF8.self)
  }

  @Test(arguments: [
    "<script>alert(1)</script>", "<script xlink:href='https://e.com/a.js'/>", "<rect onclick='alert(1)'/>",
    "<rect ONLOAD='alert(1)'/>", "<a xlink:href='javascript:alert(1)'><rect/></a>",
    "<a href=' java&#x73;cript:alert(1)'><rect/></a>", "<image href='https://alert.com/a.png'/>",
    "<image href='data:text/html,alert'/>", "<use href='https://alert.com/a.svg#b'/>",
    "<use href='data:image/svg+xml,alert'/>",
    "<foreignObject><p xmlns='http://www.w3.org/1999/xhtml'>alert</p></foreignObject>",
    "<iframe xmlns='http://www.w3.org/1999/xhtml' src='alert'/>", "<set attributeName='onclick' to='alert(1)'/>",
    "<a href='#b'><animate attributeName='xlink:href' values='javascript:alert(1)'/></a>",
    "<style>@import 'https://alert.com/a.css';</style>", "<style>rect { fill: url(https://alert.com/a) }</style>",
    "<style>rect { background: u\\72l(https://alert.com/a) }</style>", "<rect style='fill: url(//alert.com/a)'/>",
    "<rect fill='url(https://alert.com/a)'/>", "<rect filter='url(alert.svg#a)'/>",
    "<?xml-stylesheet href='https://alert.com/a.css'?>",
    "<style>a { cursor: image-set('https://alert.com/a' 1x) }</style>",
    "<rect fill='url(\u{301}https://alert.com/a)'/>", "<rect style='fill: url(\u{301}https://alert.com/a)'/>",
    "<style>rect { fill: url(\u{301}https://alert.com/a) }</style>",
    "<style>rect { fill: image-set(\u{301}'https://alert.com/a' 1x) }</style>",
    "<rect cursor='image-set(\u{20D0}&quot;https://alert.com/a&quot; 1x)'/>",
    "<style>@import\u{301}'https://alert.com/a'; @impor\u{301}t 'alert'; @import 'https://alert.com/a';</style>",
    "<a xlink:href='https://e.com' ping='https://alert.com'/>", "<a href='#b' attributionsrc='https://alert.com/'/>",
    "<a href='#b' rel='alert' onclick\u{301}='alert(1)'/>", "<a href='https:/\u{301}/alert.com'/>",
    "<a href='#b'><set attributeName=' href' to='javascript:alert(1)'/></a>",
    "<a href='#b'><animate attributeName='&#10;xlink:href&#9;' values='javascript:alert(1)'/></a>",
    "<a href='#b'><set attributeName=' onclick' to='alert(1)'/></a>",
    "<a href='#b'><set attributeName='ping' to='https://alert.com'/></a>",
    "<set attributeName='fill' to='url(\u{301}https://alert.com/a)'/>",
    "<handler>alert(1)</handler>", "<embed src='alert.svg'/>", "<object data='alert.svg'/>",
    "<a href='#b'><set attributeName='xml:base' to='https://alert.com/'/></a>",
    "<image><set attributeName='src' to='alert.png'/></image>",
    "<style>rect { background: image('https://alert.com/a') }</style>",
    "<style>rect { background: src('https://alert.com/a') }</style>",
  ])
  func `nothing runs, and nothing outside is loaded`(content: String) async throws {
    let text = try await sanitized(content + "<circle r='5' fill='red'/>")
    #expect(!text.lowercased().contains("alert"), "\(text)")
    #expect(text.contains("<circle r=\"5\" fill=\"red\">"), "\(text)")
  }

  @Test(arguments: [
    "<style>@media (prefers-color-scheme: dark) { rect { fill: white } }</style>",
    "<style>@keyframes turn { to { rotate: 90deg } } rect { animation: turn 1s }</style>",
    "<style>rect { fill: url(#a) } @font-face { src: url(data:font/woff2;base64,AA==) }</style>",
    "<animate attributeName=\"x\" values=\"0;10\" dur=\"1s\"></animate>", "<a xlink:href=\"https://e.com/\"></a>",
    "<a xlink:href=\"http://e.com/\"></a>",
    "<style>@font-face { src: url(data:application/font-woff;base64,AA==) }</style>",
    "<style>@font-face { src: url(data:font/woff;base64,AA==) } p { mask: url(data:image/png;base64,AA==) }</style>",
    "<a xlink:href=\"HTTPS://e.com/\" target=\"_top\" class=\"b\" fill=\"red\" aria-label=\"c\"></a>",
    "<text aria-label=\"e\u{301} (\u{301}1)\">e\u{301} (\u{301}1)</text>",
    "<image xlink:href=\"data:image/png;base64,AA==\"></image>", "<use xlink:href=\"#b\"></use>",
    "<rect fill=\"url(#a)\" style=\"stroke:url(#b);--a:1;\" aria-label=\"x &amp; y\"></rect>",
    "<text xml:space=\"preserve\"> a &lt; b </text>",
  ])
  func `what a document draws stays`(content: String) async throws {
    let text = try await sanitized(content)
    #expect(text.contains(content), "\(text)")
  }

  @Test func `a sanitised document is drawn the same`() async throws {
    let file = Data(
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30"><style>.a { fill: #f00 }</style>
      <defs><linearGradient id="g"><stop stop-color="#00f"/></linearGradient></defs><!-- text -->
      <rect class="a" width="20" height="30"/><rect x="20" width="20" height="30" fill="url(#g)"/></svg>
      """.utf8)
    let options = DecodingOptions(size: .fit(width: 80, height: 60))
    let expected = try SVGDecoder().decode(file, options: options).bitmap
    for file in [file, file.gzipped] {
      let safe = try await StandardCodecs.sanitizedSVG(file)
      #expect(ImageFormat(sniffing: safe) == .svg)
      #expect(try SVGDecoder().decode(safe, options: options).bitmap.largestDifference(to: expected) == 0)
    }
  }

  @Test func `a document that is not well-formed is an error`() async throws {
    for text in ["<svg xmlns='http://www.w3.org/2000/svg'><rect>", "<p/>", ""] {
      await #expect(throws: ImageDecodingError.self) { try await StandardCodecs.sanitizedSVG(Data(text.utf8)) }
    }
  }
}
#endif
