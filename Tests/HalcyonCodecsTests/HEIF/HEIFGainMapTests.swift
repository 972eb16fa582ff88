#if !IMAGEIO
import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs
@testable import HalcyonImaging

/// Files whose expected light comes from an independent model in NumPy.
@Suite(.integrationTest)
struct HEIFGainMapTests {
  private static let files: [(name: String, kind: GainMapKind)] = {
    var files: [(String, GainMapKind)] = []
    #if HEIF
    // The headroom is in the maker note of the picture, or in an XMP packet of the map.
    files += [("gain-map-apple.heic", .apple), ("gain-map-apple-xmp.heic", .apple), ("gain-map-iso.heic", .iso)]
    #endif
    #if AVIF
    files += [("gain-map-iso.avif", .iso)]
    #endif
    return files
  }()

  @Test(arguments: files)
  func `a gain map is applied`(_ name: String, _ kind: GainMapKind) throws {
    let image = try decode(name)
    #expect(image.bitmap.dynamicRange == .high && image.info.droppedContent == [])
    guard case .gainMap(kind, let headroom?) = image.info.dynamicRange else {
      Issue.record("the range is \(image.info.dynamicRange)")
      return
    }
    #expect(abs(headroom - (kind == .iso ? 2.5 : -0.303 * 0.3 + 2.303)) < 0.001)
    let numbers = try Fixture.data("hdr/gain-map-\(kind.rawValue).half").withUnsafeBytes { bytes in
      bytes.bindMemory(to: UInt16.self).map { HalfFloat.number(UInt16(littleEndian: $0)) }
    }
    let distances = (0..<256).map { index in
      let light = SIMD4(numbers[index * 3], numbers[index * 3 + 1], numbers[index * 3 + 2], 1)
      return image.bitmap.light(index % 16 * 8 + 3, index / 16 * 8 + 3).levels(to: light)
    }
    // A level of the base near black is ten levels of PQ.
    #expect(distances.reduce(0, +) / 256 <= 4, "\(distances.reduce(0, +) / 256), \(distances.sorted().suffix(9))")
  }

  @Test(arguments: files)
  func `a gain map is kept beside its picture, cropped and turned with it`(_ name: String, _ kind: GainMapKind) throws {
    var options = DecodingOptions(size: .fill(width: 64, height: 32))
    (options.dynamicRange, options.keepsGainMap) = (.high, true)
    let file = try Fixture.data("hdr/\(name)")
    let image = try StandardCodecs.decoder(of: file).decode(file, options: options)
    let map = try #require(image.gainMap)
    #expect(image.bitmap.dynamicRange == .standard && image.size == PixelSize(width: 64, height: 32))
    #expect(map.bitmap.size == PixelSize(width: 32, height: 16) && map.parameters.capacityMax > 2)
  }

  @Test(arguments: files)
  func `the standard picture is the one without its map`(_ name: String, _ kind: GainMapKind) throws {
    let file = try Fixture.data("hdr/\(name)")
    let decoder = try StandardCodecs.decoder(of: file)
    let standard = try decoder.decode(file, options: DecodingOptions())
    #expect(standard.bitmap.dynamicRange == .standard && standard.info.droppedContent == [.gainMap])
    guard case .gainMap(kind, _) = standard.info.dynamicRange else {
      Issue.record("the range is \(standard.info.dynamicRange)")
      return
    }
    guard case .gainMap(kind, .some) = try decoder.metadata(of: file).info.dynamicRange else {
      Issue.record("the metadata have no headroom")
      return
    }
  }

  /// The coded data of the map comes after that of the picture, and its parameters or its metadata at the end.
  @Test(arguments: files)
  func `a damaged map is left out`(_ name: String, _ kind: GainMapKind) throws {
    let whole = try Fixture.data("hdr/\(name)")
    let plain = try StandardCodecs.decoder(of: whole).decode(whole, options: DecodingOptions())
    var damaged: [Data] = []
    for count in [1, 40, 120, 160] { damaged.append(whole.dropLast(count)) }
    var wild = whole
    wild.replaceSubrange(wild.count - 100..<wild.count, with: Data(repeating: 0xFF, count: 100))
    damaged.append(wild)
    if kind == .iso {
      var later = whole
      // The version of the parameters, which are at the end, of one channel.
      try #require(later[later.count - 62] == 0)
      later[later.count - 62] = 1
      damaged.append(later)
    }
    for file in damaged {
      var options = DecodingOptions()
      options.dynamicRange = .high
      let image = try StandardCodecs.decoder(of: file).decode(file, options: options)
      #expect(image.info.droppedContent == [.gainMap] && image.bitmap.dynamicRange == .standard)
      #expect(image.bitmap.largestDifference(to: plain.bitmap) == 0)
    }
  }

  #if HEIF
  @Test func `metadata that describes the map is not that of the picture`() throws {
    let file = try Fixture.data("hdr/gain-map-apple-xmp.heic")
    #expect(try HEIFDecoder().metadata(of: file).xmp == nil)
    // Without its reference (`cdsc`), it describes the picture.
    let reference = try #require(file.firstRange(of: Data("cdsc".utf8)))
    var other = file
    other.replaceSubrange(reference, with: Data("free".utf8))
    let metadata = try HEIFDecoder().metadata(of: other)
    #expect(metadata.xmp?.contains(Data("HDRGainMapHeadroom".utf8)) == true)
    // Then it says nothing about the map.
    #expect(metadata.info.dynamicRange == .gainMap(.apple, headroom: nil))
  }
  #endif

  #if AVIF
  @Test func `a map is applied to the colours of the file, which are wide here`() throws {
    var file = try Fixture.data("hdr/gain-map-iso.avif")
    let primaries = try #require(file.firstRange(of: Data("nclx".utf8) + [0, 1, 0, 13])).lowerBound + 5
    file[primaries] = 12
    var options = DecodingOptions()
    options.dynamicRange = .high
    let applied = try AVIFDecoder().decode(file, options: options).bitmap
    options.keepsGainMap = true
    let kept = try AVIFDecoder().decode(file, options: options)
    #expect(kept.bitmap.colorSpace == .displayP3)
    let map = try #require(kept.gainMap)
    let expected = try map.applied(to: kept.bitmap)
    #expect(applied.meanDifference(inLightTo: expected) == 0)
  }
  #endif

  private func decode(_ name: String) throws -> DecodedImage {
    var options = DecodingOptions()
    options.dynamicRange = .high
    let file = try Fixture.data("hdr/\(name)")
    return try StandardCodecs.decoder(of: file).decode(file, options: options)
  }
}
#endif
