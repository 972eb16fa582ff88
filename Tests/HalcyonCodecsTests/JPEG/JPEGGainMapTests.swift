import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.unitTest)
struct JPEGGainMapTests {
  private static let names = ["uhdr-whole", "uhdr-quarter", "xmp-half", "xmp-channels"]

  private static func file(_ name: String) throws -> Data { try Fixture.data("hdr/\(name).jpeg") }

  private func decoded(
    _ file: Data, size: TargetSize = .original, keepsGainMap: Bool = false, limits: ImageLimits = ImageLimits()
  ) throws -> DecodedImage {
    var options = DecodingOptions(size: size, limits: limits)
    (options.dynamicRange, options.keepsGainMap) = (.high, keepsGainMap)
    return try JPEGDecoder().image(from: file, options: options)
  }

  /// The references do not round the picture to bytes. Apple's systems do, and enlarge a map that is smaller than its picture
  /// by another filter.
  private static var tolerances: [Float] {
    #if IMAGEIO
    [0.003, 0.02, 0.02, 0.003]
    #else
    [0.001_2, 0.000_4, 0.000_4, 0.000_4]
    #endif
  }

  @Test(arguments: zip(names, tolerances))
  func `a map is applied as by the reference`(_ name: String, _ tolerance: Float) throws {
    let image = try decoded(Self.file(name))
    let expected = try Bitmap.halves("hdr/\(name).expected.f16", width: 96, height: 64)
    #expect(image.bitmap.dynamicRange == .high && image.bitmap.isOpaque)
    #expect(image.bitmap.byteCount == 96 * 64 * 8 && image.byteCount == image.bitmap.byteCount)
    let difference = image.bitmap.meanDifference(inLightTo: expected)
    #expect(difference < tolerance, "\(difference)")
    #expect(image.info.droppedContent.isEmpty)
    guard case .gainMap(let kind, let headroom?) = image.info.dynamicRange else {
      Issue.record("\(image.info.dynamicRange)")
      return
    }
    #expect(kind == (name.hasPrefix("xmp") ? .xmp : .iso) && (2...6).contains(headroom))
  }

  @Test(arguments: names)
  func `a map that is applied while rows are decoded gives the same as afterwards`(_ name: String) throws {
    func difference(_ file: Data) throws -> Float {
      let image = try decoded(file, keepsGainMap: true)
      let applied = try #require(image.gainMap).applied(to: image.bitmap)
      return try decoded(file).bitmap.meanDifference(inLightTo: applied)
    }
    #expect(try difference(Self.file(name)) < 0.003)
    guard name == "xmp-half" else { return }
    // A profile is applied to bytes in both.
    let profile = try #require(try PNGDecoder().metadata(of: Fixture.data("color/adobe-rgb.png")).colorProfile)
    let addition = JPEGSegments.Addition(0xE2, JPEGHeader.profilePrefix + [1, 1], profile)
    #expect(try difference(JPEGSegments.adding([addition], to: Self.file(name)).file) < 0.000_1)
  }

  @Test(arguments: names) func `the standard picture stays as it is, and says what it lacks`(_ name: String) throws {
    let file = try Self.file(name)
    let standard = try JPEGDecoder().image(from: file, options: DecodingOptions(colorSpace: .source))
    let stripped = try JPEGDecoder().image(
      from: JPEGSegments.stripped(file), options: DecodingOptions(colorSpace: .source))
    #expect(standard.bitmap.largestDifference(to: stripped.bitmap) == 0)
    #expect(standard.bitmap.dynamicRange == .standard && standard.gainMap == nil)
    #expect(standard.info.droppedContent == [.gainMap] && stripped.info.droppedContent.isEmpty)
    #expect(stripped.info.dynamicRange == .standard)
    let info = try #require(try JPEGDecoder().probe(file.prefix(1800), isComplete: false))
    guard case .gainMap(_, headroom: nil) = info.dynamicRange else {
      Issue.record("\(info.dynamicRange)")
      return
    }
    let kept = try decoded(file, keepsGainMap: true)
    #expect(kept.bitmap.largestDifference(to: standard.bitmap) == 0 && kept.gainMap != nil)
    #expect(kept.info.droppedContent.isEmpty)
    #expect(kept.byteCount > standard.byteCount)
  }

  @Test(arguments: names) func `a file that is written has the same picture`(_ name: String) throws {
    let image = try decoded(Self.file(name), keepsGainMap: true)
    let written = try JPEGEncoder().encode(image, options: EncodingOptions(quality: 0.97))
    let again = try decoded(written)
    let difference = again.bitmap.meanStops(to: try decoded(Self.file(name)).bitmap)
    #expect(difference < 0.08, "\(difference)")
    let metadata = try JPEGDecoder().metadata(of: written)
    #expect(metadata.info.dynamicRange == again.info.dynamicRange)
    #expect(String(decoding: metadata.xmp ?? Data(), as: UTF8.self).contains("GainMap"))
    #expect(again.info.dynamicRange.isGainMap(.iso))
    // Both forms say the same.
    let withoutISO = written.replacing("urn:iso:std:iso", by: "urn:xxx:std:iso")
    let byXMP = try decoded(withoutISO)
    #expect(byXMP.info.dynamicRange.isGainMap(.xmp))
    #expect(byXMP.bitmap.meanDifference(inLightTo: again.bitmap) < 0.000_1)
    // The list of files leads to the map as well.
    let withoutIndex = try decoded(withoutISO.replacing("MPF\0", by: "XXX\0"))
    #expect(withoutIndex.bitmap.largestDifference(to: byXMP.bitmap) == 0)
  }

  @Test(arguments: names) func `half the size is the picture at half the size`(_ name: String) throws {
    let file = try Self.file(name)
    let half = try decoded(file, size: .fit(width: 48), keepsGainMap: true)
    let written = try decoded(JPEGEncoder().encode(half, options: EncodingOptions(quality: 0.97)))
    let whole = try decoded(file).bitmap
    let expected = try BuiltInProcessor.resize(.fit(width: 48)).process(whole)
    #expect(expected.dynamicRange == .high && written.size == expected.size)
    let difference = written.bitmap.meanStops(to: expected)
    #expect(difference < 0.1, "\(difference)")
  }

  @Test func `a map that does not fit its picture is left out`() throws {
    let file = try Self.file("uhdr-quarter")
    let map = try #require(file.ranges(of: Data([0xFF, 0xD8, 0xFF])).last?.lowerBound)
    let parameters = try #require(file.ranges(of: Data("urn:iso".utf8)).last?.lowerBound) + 28 + 5
    var damaged: [String: Data] = [
      "cut": file.prefix(map + 800), "behind the end": file.prefix(map),
      "two maps": try JPEGEncoderSurgery.withTwoMaps(Self.file("xmp-half")),
      "tall": file.prefix(map) + file[map...].withFrame(height: 24),
    ]
    damaged["no divisor"] = file.replacing(at: parameters + 4, [0, 0, 0, 0])
    damaged["huge gain"] = file.replacing(at: parameters + 24, [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1])
    damaged["no gamma"] = file.replacing(at: parameters + 32, [0, 0, 0, 0])
    damaged["NaN"] = try Self.file("xmp-half").replacing("GainMapMin=\"", by: "GainMapMin=\"nan")
    let standard = try JPEGDecoder().image(from: file, options: DecodingOptions(colorSpace: .source)).bitmap
    for (name, file) in damaged {
      let image = try decoded(file)
      #expect(image.bitmap.dynamicRange == .standard, "\(name)")
      #expect(image.gainMap == nil && image.info.droppedContent == [.gainMap], "\(name)")
      if !["two maps", "NaN"].contains(name) {
        #expect(try image.bitmap.largestDifference(to: standard.converted(to: .sRGB)) <= 2, "\(name)")
      }
    }
  }

  #if !IMAGEIO
  @Test func `the samples of a map count in the limit of pixels`() throws {
    let file = try Self.file("xmp-half")
    let limits = ImageLimits(pixelCount: 96 * 64)
    // The picture alone is decoded row by row.
    #expect(try decoded(file, limits: limits).bitmap.dynamicRange == .high)
    #expect(try decoded(file, limits: ImageLimits(sideLength: 96)).bitmap.dynamicRange == .high)
    let whole = try Self.file("uhdr-whole")
    let tight = ImageLimits(pixelCount: 96 * 64 - 1)
    #expect(try decoded(whole, size: .fit(width: 48), limits: tight).bitmap.dynamicRange == .standard)
  }
  #endif

  @Test(arguments: 2...8) func `picture and map are turned alike`(_ orientation: Int) throws {
    let file = try Self.file("uhdr-quarter")
    let turned = try decoded(file.turned(to: orientation))
    let upright = try decoded(file).bitmap.upright(from: try #require(ImageOrientation(rawValue: orientation)))
    #expect(turned.size == upright.size)
    #expect(turned.bitmap.meanDifference(inLightTo: upright) < 0.000_1)
  }

  @Test func `kept metadata does not hide the map`() throws {
    let file = try Self.file("xmp-half")
    let image = try decoded(file, size: .fit(width: 40), keepsGainMap: true)
    var metadata = try JPEGDecoder().metadata(of: file)
    metadata.artist = "Ann Lee"
    let written = try JPEGEncoder().encode(image, options: EncodingOptions(metadata: metadata))
    #expect(try decoded(written).bitmap.dynamicRange == .high)
    let packet = try #require(try JPEGDecoder().metadata(of: written).xmp)
    #expect(packet.ranges(of: Data("<Container:Directory>".utf8)).count == 1)
    // Without room for the list of files, in packets with a place for it and without one.
    for content in ["<rdf:RDF xmlns:rdf=\"\(XMPName.Namespace.rdf.uri)\"></rdf:RDF>", "<x></rdf:RDF>"] {
      metadata.xmp = Data(repeating: 0x20, count: 65_400) + Data(content.utf8)
      let long = try JPEGEncoder().encode(image, options: EncodingOptions(metadata: metadata))
      #expect(try decoded(long).bitmap.dynamicRange == .high)
      let packet = try #require(try JPEGDecoder().metadata(of: long).xmp, "\(content)")
      #expect(packet.ranges(of: Data("<Container:Directory>".utf8)).count == 1)
    }
  }

  @Test(arguments: names) func `kept metadata of a standard picture promises no map`(_ name: String) throws {
    let file = try Self.file(name)
    let image = try JPEGDecoder().image(from: file, options: DecodingOptions())
    var metadata = try JPEGDecoder().metadata(of: file)
    metadata.xmp = metadata.xmp.map { packet in
      let text = String(decoding: packet, as: UTF8.self)
      return Data(text.replacingOccurrences(of: "rdf:about", with: #"GCamera:MotionPhoto="1" rdf:about"#).utf8)
    }
    metadata.artist = "Ann Lee"
    let written = try JPEGEncoder().encode(image, options: EncodingOptions(metadata: metadata))
    let again = try JPEGDecoder().metadata(of: written)
    #expect(again.info.dynamicRange == .standard && again.info.droppedContent.isEmpty)
    let packet = again.xmp.map { String(decoding: $0, as: UTF8.self) } ?? "</rdf:RDF>"
    #expect(packet.hasSuffix("</x:xmpmeta>") || packet == "</rdf:RDF>")
    for text in ["hdrgm:Version", "Container:Directory", "MotionPhoto="] { #expect(!packet.contains(text), "\(text)") }
  }

  /// The light of a value of BT.709, as Apple's article describes the values of its maps.
  @Test(arguments: [true, false]) func `the map of an Apple camera is applied`(_ isInXMP: Bool) throws {
    // 3 - 70 · 0.005 stops, or as the packet of the map says.
    let headroom = isInXMP ? log2(4.5) : 2.65
    let file = try AppleCamera.file(base: 120, map: 150, statedHeadroom: isInXMP ? 4.5 : nil)
    let info = try JPEGDecoder().metadata(of: file).info
    guard case .gainMap(.apple, let stops?) = info.dynamicRange else {
      Issue.record("\(info.dynamicRange)")
      return
    }
    #expect(abs(stops - headroom) < 0.001)
    let image = try decoded(file)
    #expect(image.bitmap.dynamicRange == .high && image.info.droppedContent.isEmpty)
    let factor = 1 + (exp2(headroom) - 1) * pow((150.0 / 255 + 0.099) / 1.099, 1 / 0.45)
    let expected = Float(SRGBTransferFunction.light(120.0 / 255) * factor)
    let light = image.bitmap.light(8, 8)
    #expect(abs(light.y / expected - 1) < 0.03, "\(light) instead of \(expected)")
    let kept = try JPEGEncoder().encode(decoded(file, keepsGainMap: true), options: EncodingOptions(quality: 1))
    #expect(try decoded(kept).info.dynamicRange.isGainMap(.iso))
    #expect(abs(try decoded(kept).bitmap.light(8, 8).y / expected - 1) < 0.03)
    let standard = try JPEGDecoder().image(from: file, options: DecodingOptions())
    #expect(standard.info.droppedContent == [.gainMap])
  }

  /// Headroom and gain of a maker note in thousandths, and the stops by Apple's article.
  @Test(arguments: [
    (500, 5, 1.7), (999, 10, 1.6), (999, 11, 1.599_889), (500, 300, 1.570_7), (1000, 10, 2.3), (1500, 5, 2.65),
    (1000, 11, 2.299_667), (1500, 300, 2.212_1),
  ])
  func `the headroom of an Apple camera follows from its maker note`(_ headroom: Int, _ gain: Int, _ stops: Double)
    throws
  {
    let file = try AppleCamera.file(base: 120, map: 150, headroom: headroom, gain: gain)
    guard case .gainMap(.apple, let found?) = try JPEGDecoder().metadata(of: file).info.dynamicRange else {
      Issue.record("the metadata have no headroom")
      return
    }
    #expect(abs(found - stops) < 0.000_01, "\(found)")
  }

  @Test(arguments: [0x1p-1074, 0x1p-53, 2.2e-16, 1e-9, 15]) func `samples of an Apple map are shares at any headroom`(
    _ headroom: Double
  ) throws {
    var parameters = GainMap.Parameters()
    (parameters.gainMax, parameters.capacityMax) = (SIMD3(repeating: headroom), headroom)
    let size = PixelSize(width: 256, height: 1)
    let map = EncodedGainMap(size: size, isGrey: true, parameters: parameters, kind: .apple)
    let values = try Bitmap(size: size, isOpaque: true) { bytes in
      for index in bytes.indices { bytes[index] = index % 4 == 3 ? 255 : UInt8(index / 4) }
    }
    let shares = try map.samples(values).withUnsafeBytes { bytes in (0..<256).map { bytes[4 * $0] } }
    #expect(shares[0] == 0 && shares == shares.sorted())
  }

  @Test func `an Apple map without a headroom is left out`() throws {
    let file = try AppleCamera.file(base: 120, map: 150, statedHeadroom: nil).replacing("Apple iOS", by: "Peach iOS")
    let image = try decoded(file)
    #expect(image.bitmap.dynamicRange == .standard && image.info.droppedContent == [.gainMap])
    #expect(try JPEGDecoder().metadata(of: file).info.dynamicRange == .gainMap(.apple, headroom: nil))
  }

  @Test func `half floats become a picture and a map`() throws {
    let bright = try decoded(Self.file("uhdr-whole")).bitmap
    let written = try JPEGEncoder().encode(DecodedImage(bitmap: bright), options: EncodingOptions(quality: 0.97))
    let again = try decoded(written)
    let difference = again.bitmap.meanStops(to: bright)
    #expect(again.bitmap.dynamicRange == .high && difference < 0.15, "\(difference)")
    let dark = try Bitmap(size: PixelSize(width: 8, height: 8), isOpaque: true, dynamicRange: .high) { bytes in
      for index in stride(from: 6, to: bytes.count, by: 8) {
        bytes.storeBytes(of: HalfFloat.one, toByteOffset: index, as: UInt16.self)
      }
    }
    let plain = try JPEGEncoder().encode(DecodedImage(bitmap: dark), options: EncodingOptions())
    #expect(try JPEGDecoder().wholeInfo(of: plain).dynamicRange == .standard)
  }

  #if !IMAGEIO
  /// A grey picture whose light is noise, so that its map has as many bytes, and a picture of coloured noise beside a bright
  /// part, which has an edge and no other detail in its map.
  @Test(arguments: [(true, 24), (false, 48)]) func `a map has the whole size unless it has more bytes than the picture`(
    _ isGrey: Bool, _ side: Int
  ) throws {
    let size = PixelSize(width: 48, height: 48)
    var state: UInt32 = 1
    func noise() -> Float {
      state = state &* 1_664_525 &+ 1_013_904_223
      return Float(state >> 16 & 255) / 255
    }
    let bitmap = try Bitmap(size: size, isOpaque: true, dynamicRange: .high) { bytes in
      for index in 0..<size.pixelCount {
        let light: SIMD4<Float> =
          isGrey
          ? SIMD4(SIMD3(repeating: 1 + 3 * noise()), 1)
          : index % 48 < 23 ? SIMD4(0.8, 0.4 + 0.4 * noise(), 0.4 + 0.4 * noise(), 1) : SIMD4(2, 2, 2, 1)
        bytes.storeBytes(of: HalfFloat.bits(light), toByteOffset: index * 8, as: SIMD4<UInt16>.self)
      }
    }
    let written = try JPEGEncoder().encode(DecodedImage(bitmap: bitmap), options: EncodingOptions(quality: 0.9))
    let map = try #require(try decoded(written, keepsGainMap: true).gainMap)
    #expect(map.bitmap.size == PixelSize(width: side, height: side))
  }

  @Test func `a map loses less than a picture of the same quality`() throws {
    let image = try decoded(Self.file("uhdr-whole"), keepsGainMap: true)
    let (map, options) = (try #require(image.gainMap).bitmap, EncodingOptions(quality: 0.3))
    let written = try decoded(JPEGEncoder().encode(image, options: options), keepsGainMap: true)
    let picture = try decoded(JPEGEncoder().encode(map, options: options)).bitmap
    #expect(try #require(written.gainMap).bitmap.similarity(to: map) > picture.similarity(to: map))
  }
  #endif

  @Test(arguments: names) func `other formats get the tone-mapped picture`(_ name: String) throws {
    let image = try decoded(Self.file(name))
    let gif = try GIFEncoder().encode(image, options: EncodingOptions())
    #expect(gif.starts(with: Data("GIF8".utf8)))
    let standard = try image.bitmap.inStandardRange()
    #expect(standard.dynamicRange == .standard && standard.colorSpace == .displayP3)
    #expect(standard.byteCount == 96 * 64 * 4)
  }
}

/// Files with several maps.
private enum JPEGEncoderSurgery {
  /// A file whose packet lists a second map, with the parameters of the first.
  static func withTwoMaps(_ file: Data) throws -> Data {
    let map = try #require(file.ranges(of: Data([0xFF, 0xD8, 0xFF])).last?.lowerBound)
    let item = try #require(file.ranges(of: Data("<rdf:li rdf:parseType".utf8)).last?.lowerBound)
    let end = try #require(file[item...].firstRange(of: Data("</rdf:li>".utf8))?.upperBound)
    let added = Data(file[item..<end])
    var data = file + file[map...]
    data.insert(contentsOf: added, at: end)
    let length = try #require(data.firstRange(of: Data("http://ns.adobe.com/xap".utf8))?.lowerBound) - 2
    let count = Int(data[length]) << 8 + Int(data[length + 1]) + added.count
    data.replaceSubrange(length..<length + 2, with: FileSurgery.bytes(count, count: 2))
    return data
  }
}

extension EncodedDynamicRange {
  fileprivate func isGainMap(_ kind: GainMapKind) -> Bool {
    if case .gainMap(kind, _?) = self { true } else { false }
  }
}

extension Data {
  fileprivate func replacing(at offset: Int, _ bytes: [UInt8]) -> Data {
    var data = self
    data.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    return data
  }

  /// With other bytes in place of a text, and of as many bytes behind it as the other ones need.
  fileprivate func replacing(_ text: String, by other: String) -> Data {
    var data = self
    for range in ranges(of: Data(text.utf8)).reversed() {
      data.replaceSubrange(range.lowerBound..<range.lowerBound + other.utf8.count, with: Data(other.utf8))
    }
    return data
  }

  /// A JPEG file whose frame states another height.
  fileprivate func withFrame(height: Int) -> Data {
    FileSurgery.jpeg(Data(self), frameByte: 5, FileSurgery.bytes(height, count: 2))
  }

  /// With an Exif orientation behind the index of the file, whose offsets count from there.
  fileprivate func turned(to orientation: Int) -> Data {
    let content = Array("Exif\0\0".utf8) + FileSurgery.exif(orientation: orientation)
    let segment: [UInt8] = [0xFF, 0xE1] + FileSurgery.bytes(content.count + 2, count: 2) + content
    return Data(prefix(2) + segment + dropFirst(2))
  }
}
