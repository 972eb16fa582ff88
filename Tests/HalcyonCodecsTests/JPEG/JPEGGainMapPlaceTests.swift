import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

/// Where the gain map of a JPEG file is found, as programs that edit metadata leave old positions.
@Suite(.unitTest)
struct JPEGGainMapPlaceTests {
  private func decoded(_ file: Data, keepsGainMap: Bool = false) throws -> DecodedImage {
    var options = DecodingOptions()
    (options.dynamicRange, options.keepsGainMap) = (.high, keepsGainMap)
    return try JPEGDecoder().image(from: file, options: options)
  }

  private func stops(_ file: Data) throws -> Double? {
    guard case .gainMap(_, let stops?) = try JPEGDecoder().metadata(of: file).info.dynamicRange else { return nil }
    return stops
  }

  // ImageIO gives another enlarged map.
  #if IMAGEIO
  private let tolerance: Float = 0.2
  #else
  private let tolerance: Float = 0.025
  #endif

  /// The peaks are those of the specification's formula, in numpy, with a map that is enlarged by bilinear filtering; with
  /// the nearest samples, as by libultrahdr, they are up to 5 % higher.
  @Test(arguments: [
    ("stale-index", 2.3, 4.61), ("no-index-elements", 2.3, 4.61), ("unmarked-primary", 2.3, 4.61),
    ("offset-10", 4, 8.52),
    ("spaces-around-equals", 2.3, 4.61), ("grey-base", 2.3, 4.32),
  ])
  func `the maps of edited files are found`(_ name: String, _ stops: Double, _ peak: Float) throws {
    let file = try Fixture.data("cases/jpg-gain-map-\(name).jpg")
    #expect(try self.stops(file) == stops)
    let image = try decoded(file)
    #expect(image.bitmap.dynamicRange == .high && image.info.droppedContent.isEmpty)
    #expect(abs(image.bitmap.peak / peak - 1) < tolerance, "\(image.bitmap.peak)")
    let standard = try JPEGDecoder().image(from: file, options: DecodingOptions())
    #expect(standard.info.droppedContent == [.gainMap] && standard.bitmap.dynamicRange == .standard)
    let written = try JPEGEncoder().encode(decoded(file, keepsGainMap: true), options: EncodingOptions())
    #expect(try decoded(written).bitmap.dynamicRange == .high)
  }

  /// What says where the map is.
  struct Place: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The fields of the files in the packet, in place of lengths `MAP` and `FILM`; `nil` without a packet.
    var list: String?
    /// What is added to the offset of the index; `nil` without an index.
    var indexError: Int?
    var indexCountsFromStart = false
    /// What is between the picture and its map.
    var between = Data()

    static let film =
      Data("a film with \u{FFFD} bytes that look like a picture".utf8) + [0xFF, 0xD8, 0xFF, 0xE0, 0, 2, 0xFF]
    static let preview = Data([0xFF, 0xD8, 0xFF, 0xFE, 0, 2]) + picture.dropFirst(2)
    static let ourMap = #"<rdf:li><Container:Item Item:Semantic="GainMap" Item:Length="MAP"/></rdf:li>"#

    /// What points to the map, which without it would be the first one behind the picture.
    static let behindAnother: [Place] = {
      let other = (try? Fixture.data("cases/jpg-gain-map-offset-10.jpg")).flatMap { file in
        file.ranges(of: Data([0xFF, 0xD8, 0xFF])).last.map { Data(file[$0.lowerBound...]) }
      }
      let between = other ?? Data()
      let film =
        #"<rdf:li><Container:Item Item:Semantic="Film" Item:Length="\#(between.count - 4)" Item:Padding="4"/></rdf:li>"#
      return [
        Place("an index behind another map", indexError: 0, between: between),
        Place(
          "an index from the start behind another map", indexError: 0, indexCountsFromStart: true, between: between),
        Place("a list with a file and its padding", list: film + ourMap, between: between),
        Place(
          "a list with the padding of the picture",
          list:
            #"<rdf:li><Container:Item Item:Semantic="Primary" Item:Length="9" Item:Padding="\#(between.count)"/></rdf:li>"#
            + ourMap, between: between),
      ]
    }()

    static let all = [
      Place("the right index", indexError: 0),
      Place("an index that counts from the start of the file", indexError: 0, indexCountsFromStart: true),
      Place("attributes of the list", list: ourMap),
      Place("attributes of the list, and an old index", list: ourMap, indexError: 100),
      Place("attributes of an item itself", list: #"<rdf:li Item:Semantic="GainMap" Item:Length="MAP"/>"#),
      Place(
        "elements of the list",
        list: """
          <rdf:li rdf:parseType="Resource"><Container:Item rdf:parseType="Resource"><Item:Semantic>GainMap\
          </Item:Semantic><Item:Length> MAP\n</Item:Length></Container:Item></rdf:li>
          """),
      Place(
        "another prefix",
        list: """
          <rdf:li><c:I xmlns:i='http://ns.google.com/photos/1.0/container/item/' i:Semantic = 'Gain&#77;ap' \
          i:Length='MAP'/></rdf:li>
          """),
      Place(
        "a film before the map",
        list: #"<rdf:li><Container:Item Item:Semantic="MotionPhoto" Item:Length="FILM"/></rdf:li>"# + ourMap,
        between: film),
      Place(
        "padding", list: #"<rdf:li><Container:Item Item:Semantic="Primary" Item:Padding="9"/></rdf:li>"# + ourMap,
        between: Data(count: 9)),
      Place("a wrong length in the list", list: #"<rdf:li Item:Semantic="GainMap" Item:Length="99999999"/>"#),
      Place(
        "wrong lengths before it", list: #"<rdf:li Item:Semantic="Film" Item:Length="3"/>"# + ourMap, between: film),
      Place("no place, behind a preview", indexError: 3, between: preview),
      Place("nothing at all"),
    ]

    init(
      _ name: String, list: String? = nil, indexError: Int? = nil, indexCountsFromStart: Bool = false,
      between: Data = Data()
    ) {
      testDescription = name
      (self.list, self.indexError, self.indexCountsFromStart) = (list, indexError, indexCountsFromStart)
      self.between = between
    }

    private static let picture: Data = {
      let bitmap = try? Bitmap(size: PixelSize(width: 80, height: 52), isOpaque: true) { bytes in
        for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : 200 }
      }
      return bitmap.flatMap { try? JPEGEncoder().encode($0, options: EncodingOptions()) } ?? Data()
    }()

    func file() throws -> Data {
      let whole = try Fixture.data("cases/jpg-gain-map-unmarked-primary.jpg")
      let map = whole[try #require(whole.ranges(of: Data([0xFF, 0xD8, 0xFF])).last).lowerBound...]
      let fields = list?.replacing("MAP", with: "\(map.count)").replacing("FILM", with: "\(between.count)")
      let packet = fields.map { fields in
        """
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description \
        rdf:about="" xmlns:Container="http://ns.google.com/photos/1.0/container/" \
        xmlns:Item="http://ns.google.com/photos/1.0/container/item/"><Container:Directory><rdf:Seq>\(fields)</rdf:Seq>\
        </Container:Directory></rdf:Description></rdf:RDF></x:xmpmeta>
        """
      }
      let index = indexError.map { _ in Data(count: MultiPicture.indexByteCount) }
      var (file, end) = JPEGSegments.adding(
        [
          JPEGSegments.Addition(0xE1, JPEGHeader.xmpPrefix, packet.map { Data($0.utf8) }),
          JPEGSegments.Addition(0xE2, MultiPicture.prefix, index),
        ], to: Self.picture)
      file += between
      if let indexError {
        let start = end - MultiPicture.indexByteCount
        let entries = MultiPicture.index(
          of: file.count + indexError, and: map.count, from: indexCountsFromStart ? 0 : start)
        file.replaceSubrange(start..<end, with: entries)
      }
      return file + map
    }
  }

  @Test(arguments: Place.all + Place.behindAnother) func `a map is found by`(_ place: Place) throws {
    let file = try place.file()
    #expect(try stops(file) == 2.3)
    #expect(try decoded(file).bitmap.dynamicRange == .high)
    // Without any hint, the end of the picture is not looked for.
    let hasHint = place.list != nil || place.indexError != nil
    let standard = try JPEGDecoder().image(from: file, options: DecodingOptions())
    #expect(standard.info.droppedContent == (hasHint ? [.gainMap] : []))
    #expect(try JPEGDecoder().probe(file, isComplete: true)?.droppedContent == standard.info.droppedContent)
  }

  @Test func `a map that cannot be read is content that is left out`() throws {
    for place in Place.all {
      var file = try place.file()
      let gain = try #require(file.firstRange(of: Data("GainMapMax=\"".utf8))).upperBound
      file.replaceSubrange(gain..<gain + 3, with: Data("nan".utf8))
      let iso = try #require(file.firstRange(of: Data("urn:iso:std:iso:ts:21496:-1".utf8)))
      file.replaceSubrange(iso.upperBound + 1..<iso.upperBound + 3, with: [9, 9])
      let image = try decoded(file)
      #expect(image.bitmap.dynamicRange == .standard && image.info.droppedContent == [.gainMap], "\(place)")
      #expect(try stops(file) == nil)
    }
  }

  @Test func `a map that is cut is content that is left out`() throws {
    let file = try Place("", indexError: 0).file()
    for count in [2, 30] {
      let cut = file.dropLast(count)
      let image = try decoded(cut)
      #expect(image.bitmap.dynamicRange == .standard && image.info.droppedContent == [.gainMap])
      #expect(try stops(cut) == nil)
    }
  }

  /// A picture of 100 by 100 pixels, beside which a map of that width is within limits and fits or not.
  @Test(arguments: [
    (20_000, false, 100, true), (19_999, false, 100, false), (10_000, true, 100, true), (9_999, true, 100, false),
    (20_000, false, 98, true), (20_000, false, 97, false),
  ])
  func `a map is within limits together with its picture, unless that is read in rows`(
    _ limit: Int, _ isInRows: Bool, _ height: Int, _ fits: Bool
  ) {
    let size = PixelSize(width: 100, height: 100)
    let mapSize = PixelSize(width: 100, height: height)
    let map = EncodedGainMap(size: mapSize, isGrey: true, parameters: GainMap.Parameters(), kind: .iso)
    #expect(map.fits(size, ImageLimits(pixelCount: limit), .jpeg, isInRows: isInRows) == fits)
  }

  /// In a list, or in an index: which of two is meant is not known.
  @Test(arguments: [true, false])
  func `two maps are none`(isListed: Bool) throws {
    let place = Place("", list: isListed ? Place.ourMap + Place.ourMap : nil, indexError: isListed ? nil : 0)
    var file = try place.file()
    let map = try #require(file.ranges(of: Data([0xFF, 0xD8, 0xFF])).last).lowerBound
    file += file[map...]
    if !isListed {
      // A third entry, of the second map, in place of the counts of the first one.
      let index = try #require(file.firstRange(of: Data("MPF\0".utf8))).upperBound
      let entries = index + MultiPicture.indexByteCount - 2 * MultiPicture.entryByteCount
      let distance = (file.count - map) / 2
      let offset = file[entries + 24..<entries + 28].reduce(0) { $0 << 8 | Int($1) }
      var added = Data(file[entries + 16..<entries + 32])
      added.replaceSubrange(8..<12, with: FileSurgery.bytes(offset + distance, count: 4))
      file.insert(contentsOf: added, at: entries + 32)
      // The list has 16 bytes more, as have its segment, and the offsets that count from its start.
      for place in [entries + 24, entries + 40] {
        let offset = file[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        file.replaceSubrange(place..<place + 4, with: FileSurgery.bytes(offset + 16, count: 4))
      }
      let count = try #require(file.range(of: Data([0xB0, 0x02, 0, 7, 0, 0, 0, 32]), in: index..<entries)).upperBound
      file[count - 1] = 48
      let segment = index - 6
      let length = Int(file[segment]) << 8 | Int(file[segment + 1])
      file.replaceSubrange(segment..<segment + 2, with: FileSurgery.bytes(length + 16, count: 2))
    }
    #expect(try stops(file) == nil)
    #expect(try decoded(file).bitmap.dynamicRange == .standard)
  }

  @Test func `a picture behind the picture that is no map is left alone`() throws {
    let picture = Place.preview
    let file = try Place("", indexError: 0).file()
    let end = try #require(file.withUnsafeBytes { JPEGSegments.end(of: $0) })
    let image = try decoded(file.prefix(end) + picture)
    #expect(image.bitmap.dynamicRange == .standard && image.info.droppedContent.isEmpty)
  }
}
