import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@_spi(Programs) @testable import HalcyonCodecs

@Suite(.integrationTest)
struct PlaceRemovalTests {
  private static func packet(_ attributes: String, _ content: String = "") -> String {
    """
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\
    <rdf:Description rdf:about="" photoshop:Credit='Ann' \(attributes)>\(content)</rdf:Description></rdf:RDF></x:xmpmeta>
    """
  }

  private static func jpeg(_ marker: UInt8, _ prefix: String, _ content: some Sequence<UInt8>) throws -> Data {
    try FileSurgery.jpeg(
      Fixture.data("jpeg/peacock.default.jpeg"), inserting: marker, Array(prefix.utf8) + Array(content))
  }

  private static func jpeg(_ xmp: some Sequence<UInt8>) throws -> Data {
    try jpeg(0xE1, "http://ns.adobe.com/xap/1.0/\0", xmp)
  }

  private static func png(_ xmp: some Sequence<UInt8>) throws -> Data {
    FileSurgery.png(
      try Fixture.data("jpeg/peacock.png"), inserting: "iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + Array(xmp))
  }

  private static func webp(_ packets: Data...) throws -> Data {
    let chunks = packets.map { WebPChunks.encoded("XMP ", $0) }.reduce(Data(), +)
    return WebPChunks.file(try FormatFixture.data("alpha-animated.webp").dropFirst(12) + chunks)
  }

  private static let containers: [@Sendable (Data) throws -> Data] = [
    { try jpeg($0) }, { try png($0) }, { try webp($0) },
  ]

  @Test(arguments: [
    packet("photoshop:City='Bern'"), packet("photoshop:State = \"Bern\" photoshop:Country='Bern'"),
    packet("xmlns:p='http://ns.adobe.com/photoshop/1.0/' p:City='Bern'", "<p:Country>Bern</p:Country>"),
    packet(
      "xmlns:c='http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/' c:Location='Bern'", "<c:CountryCode>Bern</c:CountryCode>"),
    packet("Iptc4xmpCore:CountryCode='Bern'", "<Iptc4xmpCore:Location>Bern</Iptc4xmpCore:Location>"),
    packet(
      "xmlns:e='http://iptc.org/std/Iptc4xmpExt/2008-02-29/'",
      """
      <e:LocationShown><rdf:Bag><rdf:li rdf:parseType='Resource'><e:City>Bern</e:City></rdf:li><rdf:li e:City='Bern'/>\
      </rdf:Bag></e:LocationShown><e:LocationCreated rdf:parseType='Resource'><e:City>Bern</e:City></e:LocationCreated>
      """),
    packet("", "<Iptc4xmpExt:LocationCreated e:City='Bern' xmlns:e='http://iptc.org/std/Iptc4xmpExt/2008-02-29/'/>"),
    packet(
      "xmlns:d='http://www.dji.com/drone-dji/1.0/' d:GpsLatitude='Bern'", "<d:GpsLongtitude>Bern</d:GpsLongtitude>"),
    packet("exif:GPSAreaInformation='Bern'", "<exif:GPSLatitude>Bern</exif:GPSLatitude>"),
  ])
  func `properties of the place are overwritten, and others stay`(_ packet: String) throws {
    for container in Self.containers {
      let file = try container(Data(packet.utf8))
      let result = try #require(try ImageMetadata.removedPlace(from: file))
      #expect(result.count == file.count)
      #expect(result.firstRange(of: Data("Bern".utf8)) == nil)
      #expect(try ImageMetadata(of: result).xmp.flatMap { XMPPacket($0).value(.photoshop, "Credit") } == "Ann")
    }
  }

  @Test(arguments: [
    packet("photoshop:City='Ulm'") + "</a>Bern", packet("", "<photoshop:City>Bern"),
    "<!DOCTYPE a>" + packet("City='Bern'"),
  ])
  func `a damaged packet is overwritten whole`(_ packet: String) throws {
    for container in Self.containers {
      let result = try #require(try ImageMetadata.removedPlace(from: container(Data(packet.utf8))))
      #expect(try ImageMetadata(of: result).xmp == Data(repeating: 0x20, count: packet.utf8.count))
    }
  }

  @Test(arguments: [("City", false), ("Credit", true)])
  func `a place in UTF-16 is not removed`(_ name: String, isRemoved: Bool) throws {
    let packet = Data(Self.packet("photoshop:\(name)='Bern'").utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
    for container in Self.containers {
      #expect(try (ImageMetadata.removedPlace(from: container(packet)) != nil) == isRemoved)
    }
  }

  @Test func `a packet that is not read is not removed`() throws {
    let (packet, place) = (Data(Self.packet("").utf8), Data(Self.packet("photoshop:City='Bern'").utf8))
    let png = try Self.png(packet)
    for file in try [
      Self.webp(packet, place), Self.webp(place, place),
      FileSurgery.png(png, inserting: "iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0".utf8 + place)),
      FileSurgery.png(png, inserting: "zTXt", Array("Raw profile type iptc\0\0".utf8)),
      FileSurgery.png(png, inserting: "tEXt", Array("Raw profile type 8bim\0".utf8)),
      FileSurgery.png(png, inserting: "tEXt", Array("Raw profile type xmp\0".utf8)),
    ] {
      #expect(try ImageMetadata.removedPlace(from: file) == nil)
    }
    // Nor are those of other formats.
    #expect(try ImageMetadata.removedPlace(from: FormatFixture.data("still.gif")) == nil)
  }

  @Test(arguments: [true, false])
  func `the directory of the place is taken out of Exif data in both byte orders`(isLittleEndian: Bool) throws {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let bytes = FileSurgery.bytes(value, count: count)
      return isLittleEndian ? bytes.reversed() : bytes
    }
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      number(tag, 2) + number(type, 2) + number(count, 4) + value
    }
    let start: [UInt8] = Array((isLittleEndian ? "II" : "MM").utf8) + number(42, 2) + number(8, 4)
    let orientation = entry(0x0112, 3, 1, number(6, 2) + [0, 0])
    // After two entries and the place of the next directory, one with the reference of the latitude.
    var exif: [UInt8] = start + number(2, 2) + orientation + entry(0x8825, 4, 1, number(38, 4)) + number(0, 4)
    exif += number(1, 2) + entry(1, 2, 2, [0x4E, 0, 0, 0]) + number(0, 4)
    let expected: [UInt8] = start + number(1, 2) + orientation + Self.zeros.prefix(4 + 12 + 18)
    let file = try Self.jpeg(0xE1, "Exif\0\0", exif)
    #expect(try ImageMetadata.removedPlace(from: file) == Self.jpeg(0xE1, "Exif\0\0", expected))
  }

  private static func resource(_ id: Int, _ content: [UInt8], name: String = "") -> [UInt8] {
    let text = [UInt8(name.utf8.count)] + Array(name.utf8) + zeros.prefix(1 - name.utf8.count % 2)
    let start = Array("8BIM".utf8) + FileSurgery.bytes(id, count: 2) + text
    return start + FileSurgery.bytes(content.count, count: 4) + content + zeros.prefix(content.count % 2)
  }

  private static func record(_ dataset: UInt8, _ text: String, record: UInt8 = 2, isLong: Bool = false) -> [UInt8] {
    let start: [UInt8] = [0x1C, record, dataset] + (isLong ? [0x80, 0x04] : [])
    return start + FileSurgery.bytes(text.utf8.count, count: isLong ? 4 : 2) + Array(text.utf8)
  }

  private static let zeros = [UInt8](repeating: 0, count: 100)
  private static let credit = record(110, "Ann")
  private static let others: [UInt8] = credit + record(120, "Bern", isLong: true) + record(90, "", record: 1)
  private static let city = record(90, "Bern")
  private static let places: [[UInt8]] =
    [26, 27, 92, 95, 100, 101].map { record($0, "Bern") } + [city, record(90, "Bern", isLong: true)]
  private static let resources = resource(0x0404, credit + city + others)
  private static let digest = resource(0x0425, Array("0123456789abcdef".utf8))
  private static let blankDigest = resource(0x0425, Array(zeros.prefix(16)))
  private static let named = resource(0x03ED, [1, 2, 3], name: "Bern")

  /// Resources, and what becomes of them.
  private static let intact: [([UInt8], [UInt8])] = {
    let unchanged: [UInt8] = digest + named + resource(0x0404, others) + zeros
    let onlyPlace: [UInt8] = digest + named + resource(0x0404, city + zeros) + digest
    let blank: [UInt8] = blankDigest + named + resource(0x0404, zeros + zeros.prefix(city.count)) + blankDigest
    return [(unchanged, unchanged), (onlyPlace, blank), ([], [])]
      + places.map { place in
        (resource(0x0404, credit + place + others), resource(0x0404, credit + others + zeros.prefix(place.count)))
      }
  }()

  @Test(arguments: intact)
  func `records of the place are left out, and others stay`(_ resources: [UInt8], _ expected: [UInt8]) throws {
    let file = try Self.jpeg(0xED, "Photoshop 3.0\0", resources)
    #expect(try ImageMetadata.removedPlace(from: file) == Self.jpeg(0xED, "Photoshop 3.0\0", expected))
    // Also of a smaller picture behind the first one, but not in other segments.
    let photo = try Fixture.data("jpeg/peacock.default.jpeg")
    #expect(try ImageMetadata.removedPlace(from: photo + file) == photo + Self.jpeg(0xED, "Photoshop 3.0\0", expected))
    let other = try Self.jpeg(0xE5, "Photoshop 3.0\0", resources)
    #expect(try ImageMetadata.removedPlace(from: other) == other)
  }

  @Test(arguments: [("<a exif:G", "PSLatitude='Bern'/>", true), ("<a GDepth:Data='GPSCity", "'/>", false)])
  func `extended packets that name the place are overwritten whole`(_ first: String, _ rest: String, isBlank: Bool)
    throws
  {
    func file(_ parts: [String]) throws -> Data {
      let head = String(repeating: "a", count: 40)
      return try parts.reduce(into: Data()) {
        $0 += try Self.jpeg(0xE1, "http://ns.adobe.com/xmp/extension/\0", (head + $1).utf8)
      }
    }
    let kept = [first, rest].map { isBlank ? String(repeating: " ", count: $0.utf8.count) : $0 }
    #expect(try ImageMetadata.removedPlace(from: file([first, rest])) == file(kept))
  }

  private static let damaged: [[UInt8]] = [
    resources + Array("8BPS".utf8) + resources.dropFirst(4), zeros + resources, resources + Array("Bern".utf8),
    [UInt8](repeating: 0xFF, count: 40), resource(0x0404, credit + zeros + city), resource(0x0404, city.dropLast()),
    resource(0x0404, [0x1D] + city.dropFirst()), resource(0x0404, [0x1C, 2, 90, 0x80, 2, 0, 4] + Array("Bern".utf8)),
    resource(0x0404, [0x1C, 2, 90, 0x80, 4, 0xFF, 0xFF, 0xFF, 0xFF]),
  ]

  // Without its last byte, which makes the length even, a resource is whole.
  @Test(arguments: damaged + (1..<resources.count - 1).map { Array(resources.prefix($0)) })
  func `damaged resources are overwritten whole`(_ resources: [UInt8]) throws {
    let blank = [UInt8](repeating: 0, count: resources.count)
    #expect(
      try ImageMetadata.removedPlace(from: Self.jpeg(0xED, "Photoshop 3.0\0", resources))
        == Self.jpeg(0xED, "Photoshop 3.0\0", blank))
  }
}
