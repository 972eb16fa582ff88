#if HEIF && !IMAGEIO
import Foundation
@_spi(Programs) import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

/// Pictures that are coded larger than their file says, or shows.
@Suite(.integrationTest)
struct HiddenPixelTests {
  /// Where the sequence parameters are written.
  enum Place {
    /// Over those of the codec configuration with this index.
    case configuration(Int)
    /// Before the picture of an item.
    case data(Int)
  }

  private static let limits = ImageLimits(pixelCount: 1_000_000)
  private static let (single, grid, alpha) = (
    "heif/photo-single.heic", "heif/photo-grid.heic", "heif/gradient-alpha.heic"
  )
  private static let large = PixelSize(width: 8192, height: 8192)
  private static let tooLarge = ImageDecodingError.tooManyPixels(large, limit: limits.pixelCount)

  static let cases: [(name: String, file: String, place: Place, unit: [UInt8], error: ImageDecodingError)] = [
    ("the configuration", single, .configuration(0), parameters(large), tooLarge),
    ("the data", single, .data(1), parameters(large), tooLarge),
    ("full colour", single, .data(1), parameters(large, chroma: 3), tooLarge),
    ("a layer with a profile", single, .data(1), parameters(large, layers: ["10"]), tooLarge),
    ("layers with levels", single, .data(1), parameters(large, layers: ["01", "11", "00"]), tooLarge),
    (
      "a long side", single, .data(1), parameters(PixelSize(width: 1 << 20, height: 8)),
      .sideTooLong(PixelSize(width: 1 << 20, height: 8), limit: 16_384)
    ),
    ("alpha", alpha, .configuration(1), parameters(large), tooLarge),
    ("a later tile", grid, .data(5), parameters(large), tooLarge),
    // Three tiles are in memory at once.
    (
      "a row of tiles", grid, .data(5), parameters(PixelSize(width: 704, height: 704)),
      .tooManyPixels(PixelSize(width: 704, height: 704), limit: 1_000_000)
    ),
  ]

  @Test(arguments: cases)
  func `sequence parameters with more pixels than the limit are refused`(
    _ name: String, _ fileName: String, _ place: Place, _ unit: [UInt8], _ error: ImageDecodingError
  ) throws {
    let file = try Self.file(fileName, unit, place)
    #expect(throws: error, "\(name)") {
      try HEIFDecoder().decode(file, options: DecodingOptions(limits: Self.limits))
    }
  }

  @Test(arguments: [
    ("other layers", parameters(large, unitLayer: 1)), ("a few blocks", parameters(PixelSize(width: 208, height: 160))),
    ("a row of tiles", parameters(PixelSize(width: 512, height: 512))),
  ])
  func `sequence parameters inside the limit are not refused`(_ name: String, _ unit: [UInt8]) throws {
    let file = try Self.file(Self.grid, unit, .data(1))
    let error = #expect(throws: ImageDecodingError.self) {
      try HEIFDecoder().decode(file, options: DecodingOptions(limits: Self.limits))
    }
    // The picture after them is damaged.
    #expect(error?.isDamage == true, "\(name): \(String(describing: error))")
  }

  @Test func `the coded size of an encoder's parameters is the whole number of blocks`() throws {
    var file = try Fixture.data(Self.single)
    try Self.patch("ispe", to: PixelSize(width: 10, height: 10), in: &file)
    let coded = PixelSize(width: 152, height: 104)
    #expect(throws: ImageDecodingError.tooManyPixels(coded, limit: coded.pixelCount - 1)) {
      try HEIFDecoder().decode(file, options: DecodingOptions(limits: ImageLimits(pixelCount: coded.pixelCount - 1)))
    }
    let stated = ImageDecodingError.wrongSize(
      .heic, PixelSize(width: 150, height: 100), stated: PixelSize(width: 10, height: 10))
    #expect(throws: stated) {
      try HEIFDecoder().decode(file, options: DecodingOptions(limits: ImageLimits(pixelCount: coded.pixelCount)))
    }
  }

  @Test func `sequence parameters that end early are an error`() throws {
    for count in 2..<Self.parameters(Self.large).count - 1 {
      let file = try Self.file(Self.single, Array(Self.parameters(Self.large).prefix(count)), .data(1))
      let error = #expect(throws: ImageDecodingError.self) {
        try HEIFDecoder().decode(file, options: DecodingOptions(limits: Self.limits))
      }
      #expect(error?.isDamage == true, "\(count) bytes: \(String(describing: error))")
    }
  }

  /// The file shows a part of each.
  @Test(arguments: [
    ("of a tile", grid, PixelSize(width: 4096, height: 64), PixelSize(width: 12_288, height: 64)),
    ("of an image with a clean aperture", alpha, large, large),
  ])
  func `stated sizes with more pixels than the limit are refused`(
    _ name: String, _ fileName: String, _ size: PixelSize, _ counted: PixelSize
  ) throws {
    var file = try Fixture.data(fileName)
    try Self.patch("ispe", to: size, in: &file)
    let limit = counted.pixelCount - 1
    #expect(throws: ImageDecodingError.tooManyPixels(counted, limit: limit), "\(name)") {
      try HEIFDecoder().decode(file, options: DecodingOptions(limits: ImageLimits(pixelCount: limit)))
    }
  }

  /// libheif decodes what is derived from other images.
  @Test func `images that libheif decodes are refused, too`() throws {
    var file = try Self.file(Self.grid, Self.parameters(Self.large), .data(5))
    let type = try #require(file.firstRange(of: Data("grid".utf8)))
    func decode(_ file: Data, limit: Int = 1_000_000) throws {
      _ = try HEIFDecoder().decode(file, options: DecodingOptions(limits: ImageLimits(pixelCount: limit)))
    }
    file.replaceSubrange(type, with: Data("iden".utf8))
    #expect(throws: Self.tooLarge) { try decode(file) }
    file = try Fixture.data(Self.grid)
    file.replaceSubrange(type, with: Data("iovl".utf8))
    #expect(throws: ImageDecodingError.corrupt(.heic, reason: "a derived image has no size")) { try decode(file) }
    file.replaceSubrange(type, with: Data("jpeg".utf8))
    #expect(throws: ImageDecodingError.unsupportedFeature(.heic, feature: "images of the type jpeg")) {
      try decode(file)
    }
    // Units with lengths of two bytes.
    file = try Fixture.data(Self.grid)
    file.replaceSubrange(type, with: Data("iden".utf8))
    let lengths = try #require(file.firstRange(of: Data("hvcC".utf8))).upperBound + 21
    file[lengths] = file[lengths] & 0xFC | 1
    let unread = ImageDecodingError.corrupt(.heic, reason: "an item has no data that libheif can read")
    #expect(throws: unread) { try decode(file) }
    // The tiles of a grid whose own data states another size are not decoded one by one.
    file = try Fixture.data(Self.grid)
    let width = try #require(file.firstRange(of: Data([1, 2, 0, 150, 0, 100])))
    file[width.lowerBound + 2] = 16
    let stated = ImageDecodingError.wrongSize(
      .heic, PixelSize(width: 4246, height: 100), stated: PixelSize(width: 150, height: 100))
    #expect(throws: stated) { try decode(file) }
    // Tiles of different sizes neither.
    file = try Fixture.data(Self.grid)
    try Self.patch("ispe", to: PixelSize(width: 49, height: 64), in: &file)
    #expect(throws: ImageDecodingError.tooManyPixels(PixelSize(width: 150, height: 100), limit: 14_999)) {
      try decode(file, limit: 14_999)
    }
  }

  /// A file with sequence parameters in place of others.
  private static func file(_ name: String, _ unit: [UInt8], _ place: Place) throws -> Data {
    var file = try Fixture.data(name)
    switch place {
    case .configuration(let index):
      var start = 0
      for _ in 0...index { start = try #require(file[start...].firstRange(of: Data([0x42, 0x01, 0x01]))).upperBound }
      let length = Int(file[start - 5]) << 8 | Int(file[start - 4])
      file.replaceSubrange(
        start - 3..<start - 3 + length, with: unit + [UInt8](repeating: 0x80, count: length - unit.count))
    case .data(let item):
      let start = try file.withUnsafeBytes { buffer in
        let metadata = try #require(try MediaFile(Bytes(buffer), format: .heic).metadata)
        let data = try #require(ItemLocations(Bytes(buffer), metadata).data(of: item)?.first?.buffer.baseAddress)
        return try data - #require(buffer.baseAddress)
      }
      let length = file[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      let units = FileSurgery.bytes(unit.count, count: 4) + unit + FileSurgery.bytes(length - unit.count - 4, count: 4)
      file.replaceSubrange(start..<start + units.count, with: units)
    }
    return file
  }

  private static func patch(_ type: String, to size: PixelSize, in file: inout Data) throws {
    let content = try #require(file.firstRange(of: Data(type.utf8))).upperBound + 4
    file.replaceSubrange(
      content..<content + 8, with: FileSurgery.bytes(size.width, count: 4) + FileSurgery.bytes(size.height, count: 4))
  }

  /// Sequence parameters (ITU-T H.265, 7.3.2.2.1) up to their size.
  ///
  /// - Parameters:
  ///   - layers: Of each temporal sub-layer, whether it has a profile and a level.
  ///   - unitLayer: The layer that they are for.
  private static func parameters(
    _ size: PixelSize, chroma: Int = 1, layers: [String] = [], unitLayer: Int = 0
  ) -> [UInt8] {
    func binary(_ number: Int, _ count: Int) -> String {
      let digits = String(number, radix: 2)
      return String(repeating: "0", count: count - digits.count) + digits
    }
    func number(_ number: Int) -> String {
      let digits = String(number + 1, radix: 2)
      return String(repeating: "0", count: digits.count - 1) + digits
    }
    let (profile, level) = (String(repeating: "1", count: 88), "01011101")
    var bits = "0000" + binary(layers.count, 3) + "1" + String(repeating: "0", count: 88) + level + layers.joined()
    if !layers.isEmpty { bits += String(repeating: "0", count: 2 * (8 - layers.count)) }
    for layer in layers { bits += (layer.hasPrefix("1") ? profile : "") + (layer.hasSuffix("1") ? level : "") }
    bits += number(0) + number(chroma) + (chroma == 3 ? "0" : "") + number(size.width) + number(size.height) + "1"
    var unit: [UInt8] = [33 << 1, UInt8(unitLayer << 3 | 1)]
    for start in stride(from: 0, to: bits.count, by: 8) {
      let digits = bits.dropFirst(start).prefix(8)
      let byte = UInt8(digits + String(repeating: "0", count: 8 - digits.count), radix: 2) ?? 0
      // Nothing looks like a start code (7.3.1.1).
      if byte <= 3, unit.suffix(2) == [0, 0] { unit.append(3) }
      unit.append(byte)
    }
    return unit
  }
}
#endif
