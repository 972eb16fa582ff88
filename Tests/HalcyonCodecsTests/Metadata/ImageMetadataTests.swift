import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct ImageMetadataTests {
  @Test func `camera, date, colour space and copyright of a photograph are read`() throws {
    let metadata = try ImageMetadata(of: ExifSample.jpeg())
    #expect(metadata.cameraMake == "Canon")
    #expect(metadata.cameraModel == "Canon EOS R5")
    #expect(metadata.camera == "Canon EOS R5", "a model that begins with its make")
    #expect(metadata.artist == "Ann", "a text of four bytes is in its entry")
    #expect(metadata.copyright == "(c) Ann 2024", "without control characters")
    #expect(metadata.captureTime == "2024-05-01 10:20:30+02:00")
    #expect(metadata.captureDate?.date == Date(timeIntervalSince1970: 1_714_551_630))
    #expect(metadata.colorSpace == "Adobe RGB")
    #expect(metadata.info.orientation == .right)
    #expect(metadata.isProgressive)
    #expect(metadata.xmp == Data(ExifSample.xmp.utf8))
    #expect(metadata.description.contains("Canon EOS R5, 2024-05-01 10:20:30+02:00, Adobe RGB, progressive"))
  }

  @Test func `XMP is read where there is no Exif`() throws {
    let photo = try Fixture.data("jpeg/peacock.default.jpeg")
    let file = FileSurgery.jpeg(
      photo, inserting: 0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(ExifSample.xmp.utf8))
    let metadata = try ImageMetadata(of: file)
    #expect(metadata.cameraMake == "Maker & Co")
    #expect(metadata.copyright == "By all <rights>")
    #expect(metadata.captureTime == "2023-02-03 04:05:06-05:30")
    #expect(metadata.captureDate?.nanosecond == 500_000_000)
    #expect(metadata.exif == nil)
    #expect(!metadata.isProgressive)
    // The first of two packets counts.
    let two = FileSurgery.jpeg(file, inserting: 0xE1, Array("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta/>".utf8))
    #expect(try ImageMetadata(of: two).xmp == Data("<x:xmpmeta/>".utf8))
  }

  @Test func `lens, exposure and place are read from Exif`() throws {
    let metadata = try ImageMetadata(
      of: FileSurgery.jpeg(
        try Fixture.data("jpeg/peacock.default.jpeg"), inserting: 0xE1, Array("Exif\0\0".utf8) + ExifSample.exposure()))
    #expect(metadata.lens == "RF50mm F1.2")
    #expect(metadata.exposureTime == 1 / 250 && metadata.fNumber == 2.8 && metadata.focalLength == 50)
    #expect(metadata.isoSpeed == 400)
    #expect(metadata.exposure == "1/250 s, f/2.8, ISO 400, 50 mm")
    #expect(metadata.hasLocation)
    #expect(metadata.description.hasSuffix("RF50mm F1.2, 1/250 s, f/2.8, ISO 400, 50 mm, with a place"))
    let other = try ImageMetadata(of: ExifSample.jpeg())
    #expect(other.lens == nil && other.exposure == nil && !other.hasLocation)
    let unknown = ExifSample.exposure(time: (0, 0), fNumber: (28, 0))
    let damaged = try ImageMetadata(
      of: FileSurgery.jpeg(
        try Fixture.data("jpeg/peacock.default.jpeg"), inserting: 0xE1, Array("Exif\0\0".utf8) + unknown))
    #expect(damaged.exposure == "ISO 400, 50 mm")
    var insensitive = ExifSample.exposure()
    insensitive.replaceSubrange(try #require(insensitive.firstRange(of: [1, 0x90, 0, 0])), with: [0, 0, 0, 0])
    let file = FileSurgery.jpeg(
      try Fixture.data("jpeg/peacock.default.jpeg"), inserting: 0xE1, Array("Exif\0\0".utf8) + insensitive)
    #expect(try ImageMetadata(of: file).isoSpeed == nil)
  }

  /// Texts of the Exif directory, and the lens and the date.
  @Test(
    arguments: [
      ([(0xA433, "Canon")], "Canon", nil), ([(0xA433, "Canon"), (0xA434, "RF50mm")], "RF50mm", nil),
      ([(0x9003, "2024:05:01 10:20:30"), (0x9004, "2025:06:02 11:21:31")], nil, "2024-05-01 10:20:30"),
    ] as [([(Int, String)], String?, String?)])
  func `the model of a lens is preferred to its maker, and taking a picture to digitizing it`(
    _ texts: [(Int, String)], _ lens: String?, _ date: String?
  ) throws {
    let exif = ExifSample.details(texts.map { (tag: $0.0, text: $0.1) })
    let file = FileSurgery.jpeg(
      try Fixture.data("jpeg/peacock.default.jpeg"), inserting: 0xE1, Array("Exif\0\0".utf8) + exif)
    let metadata = try ImageMetadata(of: file)
    #expect(metadata.lens == lens)
    #expect(metadata.captureTime == date)
  }

  @Test(arguments: [(2.0, "2 s"), (0.5, "0.5 s"), (0.3, "1/3 s"), (1.0 / 8000, "1/8000 s")])
  func `an exposure time is written as photographers do`(seconds: Double, text: String) throws {
    var metadata = try ImageMetadata(of: Fixture.data("jpeg/peacock.default.jpeg"))
    metadata.exposureTime = seconds
    #expect(metadata.exposure == text)
  }

  @Test func `lens and place are read from XMP`() throws {
    let xmp = #"<x:xmpmeta><rdf:Description exif:GPSLatitude="52,31.2N" aux:Lens="50mm f/1.4"/></x:xmpmeta>"#
    let metadata = try ImageMetadata(
      of: FileSurgery.jpeg(
        try Fixture.data("jpeg/peacock.default.jpeg"), inserting: 0xE1,
        Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(xmp.utf8)))
    #expect(metadata.hasLocation && metadata.lens == "50mm f/1.4")
  }

  @Test(
    arguments: [
      ("2020-07-23T18:45:01+02:00", "2020-07-23 18:45:01+02:00"), ("2020-07-23T18:45+02:00", "2020-07-23 18:45+02:00"),
      ("2020-07-23T00:00+02:00", "2020-07-23 00:00+02:00"), ("2020-07-23T18:45Z", "2020-07-23 18:45+00:00"),
      ("2020-07-23T18:45", "2020-07-23 18:45"), ("2020-07-23", "2020-07-23"), ("2020-07", "2020-07"), ("2020", "2020"),
      ("2020-13-01", nil), ("2020-07-32", nil), ("2020-07-23T25:00", nil), ("2020-07-23T18:45:99", nil), ("20", nil),
      ("2020-07-2", nil), ("2020-07-23T18", nil),
    ] as [(String, String?)])
  func `a date in XMP may lack all but its year`(text: String, expected: String?) throws {
    let xmp = #"<x:xmpmeta><rdf:Description xmp:CreateDate="\#(text)"/></x:xmpmeta>"#
    let file = FileSurgery.jpeg(
      try Fixture.data("jpeg/peacock.default.jpeg"), inserting: 0xE1,
      Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Array(xmp.utf8))
    let metadata = try ImageMetadata(of: file)
    #expect(metadata.captureTime == expected)
    #expect(metadata.captureDate?.second == (text.utf8.count == 25 ? 1 : nil))
  }

  /// A date, its fraction and its time zone as in Exif.
  @Test(
    arguments: [
      (("2024:05:01 10:20:30", "25", "+02:00"), "2024-05-01 10:20:30+02:00", 250_000_000),
      (("2024:05:01 10:20:30", "25", ""), "2024-05-01 10:20:30", 250_000_000),
      (("2024:05:01 10:20:30", "", "+02:00"), "2024-05-01 10:20:30+02:00", nil),
      (("2024:05:01 10:20:30", "x", ""), "2024-05-01 10:20:30", 0),
      (("2024:05", "5", "+02:00"), "2024-05", nil), (("2024", "5", ""), "2024", nil),
    ] as [((String, String, String), String, Int?)])
  func `a date in Exif may lack anything but its year, and have a fraction that is no number`(
    texts: (date: String, fraction: String, zone: String), expected: String, nanosecond: Int?
  ) throws {
    let photo = try Fixture.data("jpeg/peacock.default.jpeg")
    // When the picture was taken, or when it was digitized.
    for tags in [[0x9003, 0x9011, 0x9291], [0x9004, 0x9012, 0x9292]] {
      let exif = ExifSample.details(zip(tags, [texts.date, texts.zone, texts.fraction]).map { ($0, $1) })
      let file = FileSurgery.jpeg(photo, inserting: 0xE1, Array("Exif\0\0".utf8) + exif)
      let metadata = try ImageMetadata(of: file)
      #expect(metadata.captureTime == expected)
      #expect(metadata.captureDate?.nanosecond == nanosecond)
    }
  }

  @Test func `a date without seconds is read from a photograph`() throws {
    let metadata = try ImageMetadata(of: Fixture.data("cases/jpg-xmp-date-without-seconds.jpg"))
    #expect(metadata.captureDate?.minute != nil && metadata.captureDate?.second == nil)
    #expect(metadata.captureDate?.timeZone != nil)
  }

  @Test(arguments: [
    ("color/display-p3.jpeg", "RGB built-in"), ("color/display-p3.png", "RGB built-in"),
    ("color/display-p3.webp", "RGB built-in"), ("color/display-p3.tiff", "RGB built-in"),
  ])
  func `the name of an ICC profile is read`(path: String, name: String) throws {
    let metadata = try ImageMetadata(of: Fixture.data(path))
    #expect(metadata.colorProfileName?.contains(name) == true, "\(metadata.colorProfileName ?? "none")")
    #expect(metadata.info.hasColorProfile)
  }

  @Test func `PNG chunks have Exif, XMP in two forms, texts and a colour space`() throws {
    var file = try Fixture.data("jpeg/peacock.png")
    file = FileSurgery.png(file, inserting: "eXIf", Array(ExifSample.camera()))
    let packet = Array("XML:com.adobe.xmp\0\0\0\0\0".utf8) + Array(ExifSample.xmp.utf8)
    file = FileSurgery.png(file, inserting: "iTXt", packet)
    let metadata = try ImageMetadata(of: file)
    #expect(metadata.cameraModel == "Canon EOS R5")
    #expect(metadata.xmp == Data(ExifSample.xmp.utf8))
    // A compressed packet with a language and a translated keyword.
    let compressed: [UInt8] = [
      0x78, 0x9C, 0xB3, 0xA9, 0x50, 0x28, 0x4B, 0x2D, 0x2A, 0xCE, 0xCC, 0xCF, 0xD3, 0x2F, 0x2E, 0x49, 0x4C, 0x4B, 0xD3,
    ]
    let damaged = Array("XML:com.adobe.xmp\0\u{1}\0en\0k\0".utf8) + compressed
    #expect(
      try ImageMetadata(of: FileSurgery.png(Fixture.data("jpeg/peacock.png"), inserting: "iTXt", damaged)).xmp == nil)
    let texts = FileSurgery.png(
      try Fixture.data("jpeg/peacock.png"), inserting: "tEXt",
      Array("Copyright\0© Ann".unicodeScalars.map { UInt8($0.value) }))
    #expect(try ImageMetadata(of: texts).copyright == "© Ann", "Latin-1")
    #expect(try ImageMetadata(of: Fixture.data("color/srgb.png")).colorProfileName != nil)
    #expect(try ImageMetadata(of: Fixture.data("pngsuite/basi0g01.png")).isProgressive)
  }

  @Test func `the duration of an animation is the sum of its frames`() throws {
    for name in FormatFixture.animations {
      let file = try FormatFixture.data(name)
      let reader = try FormatFixture.animatedDecoder(name).frameReader(for: file, options: DecodingOptions())
      var duration = Duration.zero
      while let frame = try reader.nextFrame() { duration += frame.duration }
      #expect(try ImageMetadata(of: file).duration == duration, "\(name)")
    }
    #expect(try ImageMetadata(of: FormatFixture.data("still.gif")).duration == nil)
  }

  #if AVIF
  @Test func `Exif and XMP items of AVIF are found`() throws {
    let metadata = try ImageMetadata(of: Fixture.data("avif/colors-animated-8bpc-depth-exif-xmp.avif"))
    #expect(metadata.exif != nil)
    #expect(metadata.xmp?.starts(with: Data("<?xpacket".utf8)) == true)
  }
  #endif

  @Test func `other bytes than an image are an error`() {
    #expect(throws: ImageDecodingError.unknownFormat) { try ImageMetadata(of: Data("hello".utf8)) }
    #expect(throws: ImageDecodingError.self) { try ImageMetadata(of: Data([0xFF, 0xD8, 0xFF, 0xE1])) }
  }
}
