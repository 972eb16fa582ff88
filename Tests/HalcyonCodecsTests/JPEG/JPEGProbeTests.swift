import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct JPEGProbeTests {
  @Test func `colour models are detected`() throws {
    let models = try ["default", "grayscale", "made-cmyk"].map { name in
      try JPEGDecoder().probe(Fixture.data("jpeg/peacock.\(name).jpeg"), isComplete: true)?.colorModel
    }
    #expect(models == [.yCbCr, .grey, .cmyk])
  }

  /// Whether a file has JFIF's marker, the transform in Adobe's, the names of its components, and whether they are RGB.
  @Test(
    arguments: [
      (true, nil, [1, 2, 3], false), (true, 0, [1, 2, 3], false), (true, nil, [0x52, 0x47, 0x42], false),
      (false, nil, [1, 2, 3], false), (false, 0, [1, 2, 3], true), (false, 1, [0x52, 0x47, 0x42], false),
      (false, nil, [0x52, 0x47, 0x42], true),
    ] as [(Bool, UInt8?, [UInt8], Bool)])
  func `components are RGB by Adobe's marker or their names, but not after JFIF's marker`(
    _ hasJFIF: Bool, _ transform: UInt8?, _ names: [UInt8], _ isRGB: Bool
  ) throws {
    var file = try Fixture.data("jpeg/peacock.default.jpeg")
    for (index, name) in names.enumerated() { file = FileSurgery.jpeg(file, frameByte: 10 + index * 3, [name]) }
    if !hasJFIF { file = file.prefix(2) + file.dropFirst(20) }
    if let transform {
      file = FileSurgery.jpeg(file, inserting: 0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform])
    }
    #expect(try JPEGDecoder().probe(file, isComplete: true)?.colorModel == (isRGB ? .rgb : .yCbCr))
  }

  @Test func `300 KB of metadata are skipped`() throws {
    var file = try Fixture.data("jpeg/peacock.default.jpeg")
    let profile = Array("ICC_PROFILE\0".utf8) + [UInt8](repeating: 0xFF, count: 60_000)
    for _ in 0..<5 { file = FileSurgery.jpeg(file, inserting: 0xE2, profile) }
    let info = try #require(try JPEGDecoder().probe(file, isComplete: true))
    #expect(info.hasColorProfile)
    #expect(info.storedSize == PixelSize(width: 100, height: 75))
    #expect(try JPEGDecoder().probe(file.prefix(200_000), isComplete: false) == nil)
    let image = try JPEGDecoder().decode(file, options: DecodingOptions(size: .fit(width: 10, height: 10)))
    #expect(image.size == PixelSize(width: 10, height: 8))
  }

  @Test(arguments: [0xC3, 0xC9, 0xCA] as [UInt8])
  func `lossless and arithmetic-coded frames are unsupported features`(_ marker: UInt8) throws {
    let file = try FileSurgery.jpeg(Fixture.data("jpeg/peacock.default.jpeg"), frameByte: 1, [marker])
    #expect {
      try JPEGDecoder().decode(file, options: DecodingOptions())
    } throws: {
      if case .unsupportedFeature(.jpeg, _)? = $0 as? ImageDecodingError { true } else { false }
    }
  }

  @Test func `12 bits per sample are an unsupported feature`() throws {
    let file = try FileSurgery.jpeg(Fixture.data("jpeg/peacock.default.jpeg"), frameByte: 4, [12])
    #expect(throws: ImageDecodingError.unsupportedFeature(.jpeg, feature: "12 bits per sample")) {
      try JPEGDecoder().probe(file, isComplete: true)
    }
  }

  @Test func `a complete file without a frame header is truncated or corrupt`() {
    #expect(throws: ImageDecodingError.truncated(.jpeg)) {
      try JPEGDecoder().probe(Data([0xFF, 0xD8]), isComplete: true)
    }
    #expect(throws: ImageDecodingError.corrupt(.jpeg, reason: "it ends before its first scan")) {
      try JPEGDecoder().probe(Data([0xFF, 0xD8, 0xFF, 0xD9]), isComplete: true)
    }
  }
}
