import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

/// Metadata that is cut, loops, or points anywhere.
@Suite(.integrationTest)
struct DamagedMetadataTests {
  private func metadata(exif: Data) throws -> ImageMetadata {
    let photo = try Fixture.data("jpeg/peacock.default.jpeg")
    return try ImageMetadata(of: FileSurgery.jpeg(photo, inserting: 0xE1, Array("Exif\0\0".utf8) + Array(exif)))
  }

  private func written(_ exif: Data) throws -> ImageMetadata {
    let bitmap = try Bitmap(size: PixelSize(width: 2, height: 2), isOpaque: true) { _ in }
    let info = ImageInfo(format: .jpeg, storedSize: bitmap.size)
    let options = EncodingOptions(metadata: ImageMetadata(info: info, exif: exif))
    return try ImageMetadata(of: JPEGEncoder().encode(bitmap, options: options))
  }

  @Test func `Exif data cut at any byte is read and written as far as it goes`() throws {
    let exif = ExifSample.camera()
    for count in 0..<exif.count {
      let metadata = try metadata(exif: exif.prefix(count))
      #expect(metadata.cameraMake == nil || metadata.cameraMake.map("Canon".hasPrefix) == true)
      #expect(try written(exif.prefix(count)).info.orientation == .up)
    }
  }

  @Test func `every byte of Exif data may have any value`() throws {
    let exif = ExifSample.camera()
    for index in exif.indices {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var damaged = exif
        damaged[index] = value
        _ = try metadata(exif: damaged).description
        _ = try written(damaged)
      }
    }
  }

  @Test func `directories that contain themselves end`() throws {
    // The Exif directory and its interoperability directory are IFD0, as is the next one.
    var exif = Data("MM".utf8) + Data(FileSurgery.bytes(42, count: 2) + FileSurgery.bytes(8, count: 4))
    exif += FileSurgery.bytes(2, count: 2)
    exif += ExifSample.entry(0x8769, 4, 1, FileSurgery.bytes(8, count: 4))
    exif += ExifSample.entry(0xA005, 4, 1, FileSurgery.bytes(8, count: 4))
    exif += FileSurgery.bytes(8, count: 4)
    #expect(try metadata(exif: exif).cameraMake == nil)
    #expect(try written(exif).info.orientation == .up)
    // 65,535 entries that are not there.
    #expect(try metadata(exif: exif.prefix(8) + [0xFF, 0xFF]).cameraMake == nil)
  }

  @Test func `a directory over the header, whose end is its own position, does not turn what is written`() throws {
    // Without its next directory, the first one begins at 0, with an orientation as the second entry.
    let header: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 5]
    let exif = Data(header + FileSurgery.bytes(0, count: 6) + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0])
    #expect(try written(exif).info.orientation == .up)
  }

  @Test func `a text longer than 4,096 bytes is cut`() throws {
    let text = [UInt8](repeating: UInt8(ascii: "a"), count: 50_000)
    var exif = Data("MM".utf8) + Data(FileSurgery.bytes(42, count: 2) + FileSurgery.bytes(8, count: 4))
    exif += FileSurgery.bytes(1, count: 2) + ExifSample.entry(0x010F, 2, text.count, FileSurgery.bytes(26, count: 4))
    exif += FileSurgery.bytes(0, count: 4) + text
    #expect(try metadata(exif: exif).cameraMake?.count == 4096)
  }

  private static let damaged: [(String, Int)] = {
    var files = ["png", "webp", "jpeg", "tiff"].map { ("color/display-p3.\($0)", 1) }
    #if AVIF
    files.append(("avif/colors-animated-8bpc-depth-exif-xmp.avif", 3))
    #endif
    return files
  }()

  @Test(arguments: damaged)
  func `files with one damaged byte give metadata or an error`(path: String, step: Int) throws {
    let file = try Fixture.data(path)
    for index in stride(from: 0, to: min(file.count, 3000), by: step) {
      for value in [0, 0xFF, file[index] ^ 0xFF] {
        var damaged = file
        damaged[index] = value
        _ = try? ImageMetadata(of: damaged).description
      }
    }
  }

  @Test func `an ICC profile that inflates without end has no name`() throws {
    let profile = Array("icc\0\0".utf8) + Array(try Fixture.data("color/profile-bomb.zlib"))
    let file = FileSurgery.png(try Fixture.data("jpeg/peacock.png"), inserting: "iCCP", profile)
    let metadata = try ImageMetadata(of: file)
    #expect(metadata.colorProfileName == nil)
    let packet = Array("XML:com.adobe.xmp\0\u{1}\0\0\0".utf8) + Array(try Fixture.data("color/profile-bomb.zlib"))
    #expect(
      try ImageMetadata(of: FileSurgery.png(Fixture.data("jpeg/peacock.png"), inserting: "iTXt", packet)).xmp == nil)
  }
}
