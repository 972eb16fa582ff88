import Foundation
import Testing

@testable import HalcyonCodecs
@testable import HalcyonImaging

/// A kind of file of any length whose header or metadata costs as much as possible.
struct HostileHeader: CustomTestStringConvertible, Sendable {
  let testDescription: String
  /// A file of about so many bytes.
  let file: @Sendable (Int) throws -> Data

  init(_ name: String, _ file: @escaping @Sendable (Int) throws -> Data) { (testDescription, self.file) = (name, file) }

  static let all = containers + jpegs + pngs + others + smallDrawings

  /// A byte of a style sheet takes ten times as long as one of other headers. Shorter ones are below the limit of values that
  /// rules give to elements, up to which their number grows by the square.
  private static let smallDrawings = drawings.map { drawing in
    HostileHeader(drawing.testDescription) { count in try drawing.file(count / 5) }
  }

  private static func repeated(_ part: Data, _ byteCount: Int) -> Data {
    var (data, count) = (part, byteCount / part.count)
    guard count > 0 else { return Data() }
    while data.count < count * part.count { data.append(data.prefix(count * part.count - data.count)) }
    return data
  }

  private static func repeated(_ part: String, _ byteCount: Int) -> Data { repeated(Data(part.utf8), byteCount) }

  /// The last bytes of a number, the highest one first.
  private static func bytes(_ value: Int, _ count: Int) -> Data {
    withUnsafeBytes(of: value.bigEndian) { number in
      var data = Data(count: max(0, count - 8))
      for index in max(0, 8 - count)..<8 { data.append(number[index]) }
      return data
    }
  }

  /// Numbered parts, as many as fit.
  private static func parts(_ byteCount: Int, limit: Int = .max, _ part: (Int) -> Data) -> Data {
    var data = Data()
    for index in 1...max(1, min(byteCount / part(1).count, limit)) { data.append(part(index)) }
    return data
  }
}

// Boxes of ISO/IEC 14496-12 and items of ISO/IEC 23008-12.
extension HostileHeader {
  private static func box(_ type: String, _ content: Data...) -> Data {
    let content = content.reduce(Data(), +)
    return bytes(content.count + 8, 4) + Data(type.utf8) + content
  }

  private static func full(_ type: String, version: Int = 0, flags: Int = 0, _ content: Data...) -> Data {
    box(type, content.reduce(bytes(version, 1) + bytes(flags, 3), +))
  }

  private static func file(_ boxes: Data..., brand: String = "heic", mediaData: Data = Data()) -> Data {
    let meta = full("meta", boxes.reduce(full("pitm", bytes(1, 2)), +))
    return box("ftyp", Data("\(brand)\0\0\0\0\(brand)mif1".utf8)) + meta + box("mdat", mediaData)
  }

  /// The entry of an item, whose name and content type may follow.
  private static func item(_ number: Int, _ type: String = "hvc1", _ rest: String = "\0") -> Data {
    full("infe", version: 2, bytes(number, 2), bytes(0, 2), Data((type + rest).utf8))
  }

  private static func items(_ entries: Data) -> Data { full("iinf", bytes(0, 2), entries) }

  private static let size = full("ispe", bytes(64, 4), bytes(64, 4))
  private static let alphaType = full("auxC", Data("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8))
  /// The size, an alpha type, and any others.
  private static func properties(_ others: Data = Data(), _ associations: Data...) -> Data {
    box("iprp", box("ipco", size, alphaType, others), associations.reduce(Data(), +))
  }

  /// Associations of items from 1 on with the size and an alpha type.
  private static func associations(_ count: Int, flags: Int = 0) -> Data {
    full("ipma", flags: flags, bytes(count, 4), parts(.max, limit: count) { bytes($0, 2) + bytes(0x02_0102, 3) })
  }

  private static func reference(_ type: String, _ source: Int, _ targets: Data) -> Data {
    box(type, bytes(source, 2), bytes(targets.count / 2, 2), targets)
  }

  private static let containers = [
    HostileHeader("HEIF: a profile that applies again and again") { count in
      let entry = Data([0, 1, 255, 1]) + Data(repeating: 3, count: 254)
      let associations = repeated(entry, count / 2)
      let profile = box("colr", Data("prof".utf8), Data(count: count / 2))
      return file(properties(profile, full("ipma", bytes(associations.count / 258, 4), associations)))
    },
    HostileHeader("HEIF: an image with thousands of properties and auxiliary images") { count in
      let properties = repeated(box("free"), count / 3)
      let indices = parts(count / 3) { bytes(0x8000 + $0 % (properties.count / 8) + 3, 2) }
      let entries = stride(from: 0, to: indices.count, by: 510).map { start in
        let part = indices[indices.startIndex + start..<min(indices.startIndex + start + 510, indices.endIndex)]
        return bytes(2, 2) + bytes(part.count / 2, 1) + part
      }
      let size = full("ipma", bytes(1, 4), Data([0, 1, 1, 1]))
      let table = full("ipma", flags: 1, bytes(entries.count, 4), entries.reduce(Data(), +))
      return file(
        Self.properties(properties, size, table), full("iref", repeated(reference("auxl", 2, bytes(1, 2)), count / 3)))
    },
    HostileHeader("HEIF: auxiliary images, each premultiplied") { count in
      let sources = max(1, min(count / 40, 60_000))
      return file(
        properties(Data(), associations(sources)),
        full(
          "iref", parts(.max, limit: sources) { reference("auxl", $0, bytes(1, 2)) },
          parts(.max, limit: sources) { reference("prem", 1, bytes($0 + 1, 2)) }))
    },
    HostileHeader("HEIF: auxiliary images with one long type") { count in
      let type = full("auxC", Data(repeating: 0x61, count: count / 2))
      let sources = min(count / 40, 60_000)
      let table = full("ipma", bytes(sources, 4), parts(.max, limit: sources) { bytes($0, 2) + bytes(0x02_0103, 3) })
      return file(
        properties(type, table), full("iref", parts(.max, limit: sources) { reference("auxl", $0, bytes(1, 2)) }))
    },
    HostileHeader("HEIF: tone-mapped images without inputs") { count in
      file(
        items(parts(count / 2, limit: 60_000) { item($0 + 1, "tmap") }), properties(Data(), associations(1)),
        full("iref", repeated(reference("dimg", 9, bytes(9, 2)), count / 2)))
    },
    HostileHeader("HEIF: a grid of one image") { count in
      let inputs = repeated(bytes(2, 2), min(count / 2, 65_535 * 2))
      return file(
        items(item(1, "grid") + item(2)), properties(Data(), associations(2)),
        full("iref", reference("dimg", 1, inputs), repeated(reference("dimg", 2, bytes(1, 2)), count / 2)))
    },
    HostileHeader("HEIF: descriptions of the same bytes") { count in
      let number = min(count / 60, 60_000)
      let locations = parts(.max, limit: number) { index in
        bytes(index, 2) + bytes(0, 2) + bytes(1, 2) + bytes(0, 4) + bytes(count / 4, 4)
      }
      return file(
        items(parts(.max, limit: number) { item($0, $0 % 2 == 0 ? "Exif" : "mime", "\0application/rdf+xml\0") }),
        properties(Data(), associations(1)), full("iloc", bytes(0x4400, 2), bytes(number, 2), locations),
        mediaData: Data(count: count / 4))
    },
    HostileHeader("HEIF: an image whose data is the whole file a thousand times") { count in
      let extents = repeated(bytes(0, 4) + bytes(count / 2, 4), min(count / 2, 60_000 * 8))
      let locations = bytes(1, 2) + bytes(0, 2) + bytes(extents.count / 8, 2) + extents
      let configuration = box("hvcC", Data(count: 21), Data([3, 0]))
      return file(
        items(item(1)), properties(configuration, full("ipma", bytes(1, 4), Data([0, 1, 2, 1, 3]))),
        full("iloc", bytes(0x4400, 2), bytes(1, 2), locations), mediaData: Data(count: count / 2))
    },
    HostileHeader("HEIF: empty boxes") { count in
      file(repeated(box("free"), count / 2)) + repeated(box("free"), count / 2)
    },
    HostileHeader("HEIF: brands and an image sequence of many runs") { count in
      let track = box(
        "mdia", full("hdlr", Data("\0\0\0\0pict".utf8)), full("mdhd", bytes(0, 8), bytes(1000, 4)),
        box(
          "minf",
          box(
            "stbl", full("stsz", bytes(0, 4), bytes(count / 24, 4), repeated(bytes(1, 4), count / 6)),
            full("stts", bytes(count / 48, 4), repeated(bytes(1, 4) + bytes(9, 4), count / 6)),
            full("stsc", bytes(count / 72, 4), parts(count / 6) { bytes($0, 4) + bytes(1, 4) + bytes(1, 4) }),
            full("stco", bytes(count / 24, 4), repeated(bytes(9, 4), count / 6)),
            full("stsd", bytes(1, 4), box("av01", Data(count: 78), repeated(box("free"), count / 6))))))
      let movie = box("moov", box("trak", full("tkhd", Data(count: 100)), track), repeated(box("trak"), count / 6))
      return box("ftyp", Data("avis\0\0\0\0avif".utf8), repeated("abcd", count / 6)) + movie
    },
    HostileHeader("AVIF: items and references") { count in
      let number = min(count / 60, 60_000)
      return file(
        items(parts(.max, limit: number) { item($0, "av01") }), properties(Data(), associations(number)),
        full("iref", parts(.max, limit: number) { reference("thmb", $0, bytes(1, 2)) }), brand: "avif")
    },
    HostileHeader("JPEG XL: empty boxes and parts") { count in
      let signature = box("JXL ", Data([0x0D, 0x0A, 0x87, 0x0A])) + box("ftyp", Data("jxl \0\0\0\0jxl ".utf8))
      return signature + repeated(box("free"), count / 2) + parts(count / 2) { box("jxlp", bytes($0, 4)) }
    },
  ]
}

// Segments of JPEG files and chunks of PNG files.
extension HostileHeader {
  private static func segment(_ marker: UInt8, _ content: Data) -> Data {
    Data([0xFF, marker]) + bytes(content.count + 2, 2) + content
  }

  private static let start = Data([0xFF, 0xD8])
  private static let picture: Data = {
    let bitmap = try? Bitmap(size: PixelSize(width: 8, height: 8), isOpaque: true) { _ in }
    return bitmap.flatMap { try? JPEGEncoder().encode($0, options: EncodingOptions()) } ?? Data()
  }()

  /// A picture with other segments at its beginning.
  private static func jpeg(_ segments: Data, after: Data = Data()) -> Data {
    start + segments + picture.dropFirst(2) + after
  }

  /// A directory (IFD) of entries with one tag.
  private static func exif(tag: Int, entryCount: Int) -> Data {
    let entry = bytes(tag, 2) + bytes(2, 2) + bytes(4000, 4) + bytes(8, 4)
    return Data("MM\0*".utf8) + bytes(8, 4) + bytes(entryCount, 2) + repeated(entry, 12 * entryCount) + bytes(0, 4)
  }

  private static let multiPicture: Data = {
    let entry = bytes(0, 4) + bytes(9999, 4) + bytes(600, 4) + bytes(0, 4)
    return Data("MPF\0MM\0*".utf8) + bytes(8, 4) + bytes(1, 2) + bytes(0xB002, 2) + bytes(7, 2) + bytes(4096 * 16, 4)
      + bytes(26, 4) + bytes(0, 4) + repeated(entry, 16 * 16)
  }()

  private static let jpegs = [
    HostileHeader("JPEG: Exif without an orientation") { count in
      jpeg(repeated(segment(0xE1, Data("Exif\0\0".utf8) + exif(tag: 0x010F, entryCount: 300)), count))
    },
    HostileHeader("JPEG: parts of a profile") { count in
      jpeg(repeated(segment(0xE2, Data("ICC_PROFILE\0\u{1}\u{FF}".utf8)), count))
    },
    HostileHeader("JPEG: empty comments") { count in jpeg(repeated(segment(0xFE, Data()), count)) },
    HostileHeader("JPEG: fill bytes") { count in jpeg(Data(repeating: 0xFF, count: count)) },
    HostileHeader("JPEG: bytes between segments") { count in jpeg(segment(0xFE, Data()) + Data(count: count)) },
    HostileHeader("JPEG: an index of one place, and the starts of pictures") { count in
      jpeg(segment(0xE2, multiPicture), after: repeated(Data([0xFF, 0xD8, 0xFF]), count))
    },
    HostileHeader("JPEG: pictures with long headers behind the picture") { count in
      jpeg(
        segment(0xE2, multiPicture),
        after: repeated(start + repeated(segment(0xFE, Data()), 400) + picture.dropFirst(2), count))
    },
    HostileHeader("JPEG: scans") { count in
      jpeg(segment(0xE2, multiPicture)).dropLast(2)
        + repeated(segment(0xDA, Data([1, 1, 0, 0, 63, 0])) + [0xFF, 0x00, 0xFF, 0xD0], count)
    },
  ]

  private static func png(_ chunks: Data, before: Data = Data()) -> Data {
    let signature = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    return signature + PNGChunk.encoded("IHDR", bytes(1, 4) + bytes(1, 4) + [8, 2, 0, 0, 0]) + before
      + PNGChunk.encoded("IDAT", Data([0x78, 0x9C, 0x63, 0x60, 0x60, 0x60, 0, 0, 0, 4, 0, 1])) + chunks
      + PNGChunk.encoded("IEND", Data())
  }

  /// A hundred times as long when it is inflated, and damaged at its end.
  private static func bomb(_ type: String, _ prefix: String) throws -> Data {
    try PNGChunk.encoded(type, Data(prefix.utf8) + Fixture.data("color/profile-bomb.zlib").dropLast(4))
  }

  private static func packet(_ text: Data) -> Data {
    png(PNGChunk.encoded("iTXt", Data("XML:com.adobe.xmp\0\0\0\0\0".utf8) + text))
  }

  private static func packet(_ start: String, _ part: String, _ end: String, _ count: Int) -> Data {
    packet(Data(start.utf8) + repeated(part, count) + Data(end.utf8))
  }

  private static let rdf = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'><rdf:Description "

  private static let pngs = [
    HostileHeader("PNG: empty chunks before the image data") { count in
      png(Data(), before: repeated(PNGChunk.encoded("teSt", Data()), count))
    },
    HostileHeader("PNG: profiles and transparency") { count in
      png(
        Data(),
        before: repeated(PNGChunk.encoded("iCCP", Data("a\0\0".utf8)) + PNGChunk.encoded("tRNS", Data([1])), count))
    },
    HostileHeader("PNG: empty texts") { count in png(repeated(PNGChunk.encoded("tEXt", Data("Author\0".utf8)), count))
    },
    HostileHeader("PNG: packets and profiles that inflate, damaged at the end") { count in
      try png(
        repeated(bomb("iTXt", "XML:com.adobe.xmp\0\u{1}\0\0\0") + bomb("zTXt", "Raw profile type exif\0\0"), count))
    },
    HostileHeader("PNG: a raw profile of line breaks") { count in
      png(PNGChunk.encoded("tEXt", Data("Raw profile type exif\0\nexif\n9\n".utf8) + repeated("\n0", count)))
    },
    HostileHeader("PNG: frames of an animation") { count in
      png(
        repeated(PNGChunk.encoded("fcTL", Data(count: 26)), count),
        before: PNGChunk.encoded("acTL", bytes(9, 4) + bytes(0, 4)))
    },
    HostileHeader("Exif: entries with one tag") { count in
      png(PNGChunk.encoded("eXIf", exif(tag: 0x0001, entryCount: min(count / 12, 65_535))))
    },
    HostileHeader("Exif: texts that overlap") { count in
      png(PNGChunk.encoded("eXIf", exif(tag: 0x010F, entryCount: min(count / 12, 65_535))))
    },
    HostileHeader("XMP: attributes") { count in packet(rdf, "tiff:Make='a' ", "/></rdf:RDF>", count) },
    HostileHeader("XMP: namespaces") { count in
      packet(
        Data(rdf.utf8) + parts(count / 2) { Data("xmlns:n\(100_000 + $0)='a' ".utf8) }
          + parts(count / 2) { Data("n\(100_000 + $0):a='a' ".utf8) } + Data("/></rdf:RDF>".utf8))
    },
    HostileHeader("XMP: namespaces inside each other") { count in
      packet("", "<a xmlns:tiff='b'><tiff:Make>a</tiff:Make></a>", "", count)
    },
    HostileHeader("XMP: elements that are not closed") { count in packet(rdf + ">", "<dc:rights>", "", count) },
    HostileHeader("XMP: elements that are closed twice") { count in packet("", "<a/></a>", "", count) },
    HostileHeader("XMP: items") { count in
      packet(rdf + "><dc:creator><rdf:Seq>", "<rdf:li>a</rdf:li>", "</rdf:Seq></dc:creator>", count)
    },
    HostileHeader("XMP: properties that are removed") { count in
      packet(
        rdf + ">", "<hdrgm:Version>1.0</hdrgm:Version><tiff:Orientation>6</tiff:Orientation><Container:Directory>", "",
        count)
    },
    HostileHeader("XMP: files") { count in
      packet(
        rdf + "><Container:Directory>", "<rdf:li><Container:Item Item:Length='1'/></rdf:li>", "</Container:Directory>",
        count)
    },
    HostileHeader("XMP: references") { count in packet(rdf + "dc:rights='", "&#x26;amp;&", "'/></rdf:RDF>", count) },
    HostileHeader("XMP: comments and sections") { count in
      packet(rdf + "><dc:rights>", "<!----><![CDATA[&]]>", "</dc:rights>", count)
    },
    HostileHeader("XMP: a comment without an end") { count in packet("", "<!--->->-", "", count) },
  ]
}

// The other formats.
extension HostileHeader {
  private static func little(_ value: Int, _ count: Int) -> Data {
    Data(FileSurgery.bytes(value, count: count).reversed())
  }

  private static func riff(_ chunks: Data) -> Data {
    Data("RIFF".utf8) + little(chunks.count + 4, 4) + Data("WEBP".utf8) + chunks
  }

  private static func chunk(_ name: String, _ content: Data) -> Data {
    Data(name.utf8) + little(content.count, 4) + content + Data(count: content.count % 2)
  }

  private static let gif = Data("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0]
  private static let gifFrame = Data([0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 0])

  private static let others = [
    HostileHeader("GIF: extensions") { count in gif + repeated(Data([0x21, 0xFE, 0]), count) + gifFrame + [0x3B] },
    HostileHeader("GIF: frames") { count in gif + repeated(gifFrame, count) + [0x3B] },
    HostileHeader("GIF: blocks of one byte") { count in
      gif + gifFrame.dropLast() + repeated(Data([1, 7]), count) + [0, 0x3B]
    },
    HostileHeader("TIFF: directories of reduced copies") { count in
      let entryCount = min(count / 12, 4000)
      let byteCount = 6 + 12 * entryCount
      return Data("MM\0*".utf8) + bytes(8, 4)
        + parts(.max, limit: max(1, count / byteCount)) { index in
          let entries = repeated(bytes(999, 2) + bytes(4, 2) + bytes(1, 4) + bytes(1, 4), 12 * (entryCount - 1))
          return bytes(entryCount, 2) + entries + bytes(254, 2) + bytes(4, 2) + bytes(1, 4) + bytes(1, 4)
            + bytes(8 + index * byteCount, 4)
        }
    },
    HostileHeader("TIFF: tables that are there again") { count in
      let entryCount = min(count / 24, 4000)
      let size =
        bytes(256, 2) + bytes(4, 2) + bytes(1, 4) + bytes(9, 4) + bytes(257, 2) + bytes(4, 2) + bytes(1, 4)
        + bytes(9, 4)
      let table = bytes(273, 2) + bytes(4, 2) + bytes(count / 8, 4) + bytes(0, 4)
      return Data("MM\0*".utf8) + bytes(8, 4) + bytes(entryCount + 2, 2) + size + repeated(table, 12 * entryCount)
        + bytes(0, 4) + Data(count: count / 2)
    },
    HostileHeader("ICO: entries that share their chunks") { count in
      let entryCount = min(count / 48, 60_000)
      let image = png(Data(), before: repeated(PNGChunk.encoded("teSt", Data()), count / 2)).dropLast(40)
      let entry = Data([0, 0, 0, 0, 0, 0, 32, 0]) + little(image.count, 4) + little(6 + 16 * entryCount, 4)
      return little(0, 2) + little(1, 2) + little(entryCount, 2) + repeated(entry, 16 * entryCount) + image
    },
    HostileHeader("ICO: entries that begin with each other") { count in
      // Each image is in a chunk of the one before, up to the checksum of its header, which is not checked.
      let head = png(Data()).prefix(33)
      let entryCount = min(count / 150, 60_000)
      let heads = repeated(head + bytes(29, 4) + Data("teSt".utf8), 41 * entryCount)
      let tail = repeated(PNGChunk.encoded("teSt", Data()), count / 2)
      let entries = parts(.max, limit: entryCount) { index in
        Data([0, 0, 0, 0, 0, 0, 32, 0]) + little(9, 4) + little(6 + 16 * entryCount + 41 * (index - 1), 4)
      }
      return little(0, 2) + little(1, 2) + little(entryCount, 2) + entries + heads + tail
    },
    HostileHeader("BMP: a palette") { count in
      Data("BM".utf8) + little(count, 4) + little(0, 4) + little(54 + count, 4) + little(40, 4) + little(9, 4)
        + little(9, 4) + little(1, 2) + little(8, 2) + little(0, 16) + little(count / 4, 4) + little(0, 4)
        + Data(count: count)
    },
    HostileHeader("WebP: chunks") { count in
      riff(chunk("VP8X", Data(count: 10)) + repeated(chunk("test", Data()), count))
    },
    HostileHeader("WebP: frames") { count in
      riff(chunk("VP8X", Data([2]) + Data(count: 9)) + repeated(chunk("ANMF", Data(count: 24)), count))
    },
    HostileHeader("ICC: tags and names") { count in
      let tags = parts(count / 2) { _ in Data("desc".utf8) + bytes(count / 2, 4) + bytes(count / 2, 4) }
      let name =
        Data("mluc\0\0\0\0".utf8) + bytes(count / 24, 4) + bytes(12, 4)
        + repeated(Data("frFR".utf8) + bytes(4096, 4) + bytes(16, 4), count / 2)
      let profile = Data(count: 16) + Data("RGB ".utf8) + Data(count: 108) + bytes(tags.count / 12, 4) + tags + name
      return riff(
        chunk("VP8X", Data([0x20]) + Data(count: 9)) + chunk("ICCP", profile) + chunk("VP8L", Data([0x2F, 0, 0, 0, 0])))
    },
  ]
}

// Style sheets.
extension HostileHeader {
  private static func svg(style: Data, _ elements: Data = Data("<g class='a'/>".utf8)) -> Data {
    Data("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><style>".utf8) + style + Data("</style>".utf8)
      + elements + Data("</svg>".utf8)
  }

  #if SVG && !IMAGEIO
  private static let drawings = [
    HostileHeader("SVG: rules of one class, and elements of it") { count in
      svg(style: repeated(".a{x:y}", count / 2), repeated("<g class='a'/>", count / 2))
    },
    HostileHeader("SVG: rules of one class, and an element that names it again and again") { count in
      svg(style: repeated(".a{x:y}", count / 2), Data("<g class='".utf8) + repeated("a ", count / 2) + Data("'/>".utf8))
    },
    HostileHeader("SVG: selectors of a rule") { count in svg(style: repeated(".a,", count) + Data("b{x:y}".utf8)) },
    HostileHeader("SVG: a long selector") { count in svg(style: repeated("a>b ", count) + Data("{x:y}".utf8)) },
    HostileHeader("SVG: classes of a selector") { count in svg(style: repeated(".a", count) + Data("{x:y}".utf8)) },
    HostileHeader("SVG: declarations of a rule") { count in
      svg(style: Data(".a{".utf8) + repeated("x:y;", count) + Data("}".utf8))
    },
    HostileHeader("SVG: media rules") { count in svg(style: repeated("@media all{@media all{a{x:y}}}", count)) },
    HostileHeader("SVG: brackets without an end") { count in svg(style: repeated("a{", count)) },
    HostileHeader("SVG: strings without an end") { count in svg(style: repeated("a{x:\"y}\n", count)) },
    HostileHeader("SVG: comments") { count in svg(style: repeated("/**/&lt;!--", count)) },
    HostileHeader("SVG: a comment without an end") { count in svg(style: Data("/*".utf8) + repeated("*", count)) },
    HostileHeader("SVG: custom properties") { count in
      svg(
        style: parts(count / 2) { Data(":root{--a\($0):var(--a\($0 + 1))}".utf8) }
          + repeated("a{fill:var(--a1)}", count / 2))
    },
    HostileHeader("SVG: uses of custom properties") { count in
      svg(style: Data(":root{--a:b}a{fill:".utf8) + repeated("var(--a,", count) + Data("}".utf8))
    },
    HostileHeader("SVG: links") { count in
      svg(style: Data("a{fill:".utf8) + repeated("url( #a) ", count) + Data("}".utf8))
    },
    HostileHeader("SVG: style elements") { count in svg(style: Data(), repeated("<style>a{x:y}</style>", count)) },
    HostileHeader("SVG: attributes of the root") { count in
      Data("<svg ".utf8) + parts(count) { Data("a\(100_000 + $0)='' ".utf8) }
        + Data("xmlns='http://www.w3.org/2000/svg'/>".utf8)
    },
    HostileHeader("SVG: texts in pieces") { count in svg(style: Data(), repeated("a<![CDATA[b]]>&lt;", count)) },
    HostileHeader("SVG: identifiers") { count in
      svg(style: repeated("#a{x:y}", count / 2), repeated("<g id='a'/>", count / 2))
    },
  ]
  #else
  private static let drawings: [HostileHeader] = []
  #endif
}

/// Without the generic one, which takes most of the time of unoptimized tests.
private func + (left: Data, right: Data) -> Data {
  var data = left
  data.append(right)
  return data
}
