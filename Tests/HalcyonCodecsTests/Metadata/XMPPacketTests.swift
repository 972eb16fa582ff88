import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.unitTest)
struct XMPPacketTests {
  private static let tiff = "xmlns:tiff='http://ns.adobe.com/tiff/1.0/'"

  private static func packet(_ attributes: String, _ content: String = "") -> String {
    """
    <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
    <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \(attributes)>\
    \(content)</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
    """
  }

  /// Each packet states the make "A & B".
  private static let packets = [
    packet("\(tiff) tiff:Make='A &amp; B'"), packet("\(tiff)\n tiff:Make\t=\r\n\"A &#38; B\""),
    packet("tiff:Make='A &#x26; B'"), packet("xmlns:t='http://ns.adobe.com/tiff/1.0/' t:Make=' A &amp; B '"),
    packet(
      "xmlns:tiff='http://example.org/' tiff:Make='C'", "<Make xmlns='http://ns.adobe.com/tiff/1.0/'>A &amp; B</Make>"),
    packet(tiff, "<tiff:Make>A <![CDATA[&]]> B</tiff:Make>"),
    packet(tiff, "<tiff:Make>A <!-- C -->&amp; B</tiff:Make >"),
    packet(
      tiff, "<tiff:Make>\n<rdf:Seq><rdf:li xml:lang='x'>A &amp; B</rdf:li><rdf:li>C</rdf:li></rdf:Seq></tiff:Make>"),
    packet(tiff, "<tiff:Make rdf:parseType='Resource'><rdf:value>A &amp; B</rdf:value></tiff:Make>"),
    packet(tiff, "<tiff:Make/><tiff:Make>A &amp; B</tiff:Make><tiff:Make>C</tiff:Make>"),
    packet("", "<!-- <tiff:Make>C</tiff:Make> --><tiff:Make>A &amp; B</tiff:Make>"),
    packet("tiff:Make='A &amp; B'", "</rdf:Description><rdf:Description tiff:Make='C'>"),
    packet("dc:rights=\"tiff:Make='C'\" tiff:Make='A &amp; B'"),
    packet("", "<dc:rights>tiff:Make='C'</dc:rights><tiff:Make>A &amp; B</tiff:Make>"),
    packet(
      "", "<dc:rights rdf:parseType='Resource'><tiff:Make>C</tiff:Make></dc:rights><tiff:Make>A &amp; B</tiff:Make>"),
    packet(tiff + " tiff:Make='A &amp; B'", "<b></a>"), packet(tiff + " tiff:Make='A &amp; B'", "<b c=d>"),
  ]

  @Test func `references in a literal section are text`() {
    let packet = Self.packet(Self.tiff, "<tiff:Make>&#65; <![CDATA[&#65; &amp;]]></tiff:Make>")
    #expect(XMPPacket(Data(packet.utf8)).value(.tiff, "Make") == "A &#65; &amp;")
  }

  @Test(arguments: packets) func `a property is read in every form`(_ packet: String) {
    for data in [Data(packet.utf8), Data("\u{FEFF}\(packet)".utf8)] {
      #expect(XMPPacket(data).value(.tiff, "Make") == "A & B")
    }
    #expect(
      XMPPacket(Data(packet.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })).value(.tiff, "Make") == "A & B")
    #expect(
      XMPPacket(Data([0xFF, 0xFE] + packet.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] })).value(.tiff, "Make")
        == "A & B")
  }

  @Test(arguments: [
    packet("xmlns:tiff='http://example.org/' tiff:Make='C'"), packet("Make='C'"),
    packet("", "<!-- <tiff:Make>C</tiff:Make> -->"),
    "<!DOCTYPE a [<!ENTITY b 'C'>]>" + packet("tiff:Make='&b;'"), packet("tiff:Make='\u{1}'"), packet("tiff:Make='C"),
    packet("", "<a></b><tiff:Make>C</tiff:Make>"), packet("a:b='c'tiff:Make='C'"), packet("tiff:Make C='C'"),
    "<!DOCTYPE a='b'>" + packet("tiff:Make='C'"),
    packet("", "<exif:A rdf:parseType='Resource'><tiff:Make>C</tiff:Make></exif:A>"), "tiff:Make='C'", "",
    String(repeating: "<a>", count: 101) + packet("tiff:Make='C'"),
  ])
  func `what is no property is not read`(_ packet: String) {
    #expect(XMPPacket(Data(packet.utf8)).value(.tiff, "Make") == nil)
  }

  @Test(arguments: [
    ("tiff:Orientation='6'", "", "tiff:Orientation='1'", ""),
    ("tiff:Orientation = \"6\"", "", "tiff:Orientation = \"1\"", ""),
    (
      "xmlns:t='http://ns.adobe.com/tiff/1.0/' t:Orientation='&#54;'", "",
      "xmlns:t='http://ns.adobe.com/tiff/1.0/' t:Orientation='1'", ""
    ),
    ("", "<tiff:Orientation>\n6</tiff:Orientation>", "", "<tiff:Orientation>1</tiff:Orientation>"),
    ("", "<tiff:Orientation/>", "", "<tiff:Orientation/>"), ("hdrgm:Version='1.0' a:b='c'", "", " a:b='c'", ""),
    ("", "<Container:Directory><rdf:Seq/></Container:Directory>a", "", "a"),
    (
      "xmlns:g='http://ns.adobe.com/hdr-gain-map/1.0/' g:GainMapMax = '1'", "<g:Version>1</g:Version>",
      "xmlns:g='http://ns.adobe.com/hdr-gain-map/1.0/' ", ""
    ),
    ("GCamera:MotionPhoto='1' GCamera:Other='2'", "", " GCamera:Other='2'", ""),
    ("", "<GCamera:MicroVideo>1</GCamera:MicroVideo>a", "", "a"),
    (
      "xmlns:hdrgm='http://example.org/' hdrgm:Version='1.0'", "",
      "xmlns:hdrgm='http://example.org/' hdrgm:Version='1.0'", ""
    ),
    (
      "dc:rights='tiff:Orientation=6'", "<!--hdrgm:Version='1'-->", "dc:rights='tiff:Orientation=6'",
      "<!--hdrgm:Version='1'-->"
    ),
  ])
  func `a new file is upright, and is followed by no other`(
    _ attributes: String, _ content: String, _ newAttributes: String, _ newContent: String
  ) {
    let packet = XMPPacket(Data(Self.packet(attributes, content).utf8))
    #expect(String(decoding: packet.ofNewFile, as: UTF8.self) == Self.packet(newAttributes, newContent))
  }

  @Test(arguments: [1, 15, 16, 17, 40]) func `the first items of a list are read`(_ count: Int) {
    let items = (1...count).map { "<rdf:li>\($0)</rdf:li>" }.joined()
    let packet = XMPPacket(Data(Self.packet("", "<dc:creator><rdf:Seq>\(items)</rdf:Seq></dc:creator>").utf8))
    #expect(packet.values(.dc, "creator") == (1...min(count, 16)).map { "\($0)" })
    let files = (1...count).map { "<rdf:li Item:Length='\($0)'/>" }.joined()
    let list = "<Container:Directory><rdf:Seq>\(files)</rdf:Seq></Container:Directory>"
    let lengths = XMPPacket(Data(Self.packet("", list).utf8)).files.map { $0["Length"] }
    #expect(lengths == (1...min(count, 16)).map { "\($0)" })
  }

  private static let dates = [
    "exif:DateTimeOriginal='2001-01-01'", "photoshop:DateCreated='2002-01-01'", "xmp:CreateDate='2003-01-01'",
  ]

  /// Attributes of a packet, and the make, model, artist, copyright, lens, place and year that are read of them.
  @Test(
    arguments: [
      ("tiff:Make='a' tiff:Model='b' dc:creator='c' dc:rights='d'", "a b c d - false -"),
      ("exifEX:LensModel='a' aux:Lens='b'", "- - - - a false -"), ("aux:Lens='b'", "- - - - b false -"),
      ("exif:GPSLatitude='1'", "- - - - - true -"), ("exif:GPSLongitude='1'", "- - - - - false -"),
      ("drone-dji:GpsLatitude='1'", "- - - - - true -"),
      (dates.joined(separator: " "), "- - - - - false 2001"),
      (dates.dropFirst().joined(separator: " "), "- - - - - false 2002"), (dates[2], "- - - - - false 2003"),
    ])
  func `what metadata lacks is read from the first property that has it`(_ attributes: String, _ expected: String) {
    func text(_ metadata: ImageMetadata) -> String {
      let texts = [
        metadata.cameraMake, metadata.cameraModel, metadata.artist, metadata.copyright, metadata.lens,
        "\(metadata.hasLocation)", metadata.captureDate?.year.map { "\($0)" },
      ]
      return texts.map { $0 ?? "-" }.joined(separator: " ")
    }
    let packet = XMPPacket(Data(Self.packet(attributes).utf8))
    var metadata = ImageMetadata(info: ImageInfo(format: .jpeg, storedSize: PixelSize(width: 1, height: 1)))
    packet.read(into: &metadata)
    #expect(text(metadata) == expected)
    // What is there already stays.
    (metadata.cameraMake, metadata.cameraModel, metadata.artist) = ("x", "x", "x")
    (metadata.copyright, metadata.lens, metadata.hasLocation) = ("x", "x", true)
    metadata.captureDate = DateComponents(year: 1999)
    packet.read(into: &metadata)
    #expect(text(metadata) == "x x x x x true 1999")
  }

  @Test func `a gain map is listed in a packet with other prefixes`() throws {
    let packet = "<r:RDF xmlns:r='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><r:Description dc:rights='a'/></r:RDF>"
    let listed = XMPPacket(XMPPacket.packet(adding: 7, to: Data(packet.utf8)))
    #expect(listed.value(.dc, "rights") == "a" && listed.marksGainMap)
    #expect(listed.files.map { $0["Semantic"] } == ["Primary", "GainMap"] && listed.files[1]["Length"] == "7")
  }
}
