import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

/// Metadata in encoded files.
@Suite(.integrationTest)
struct MetadataEncodingTests {
  private static let formats = [ImageFormat.jpeg, .png, .webp].filter(\.isWritable)

  private let image: DecodedImage
  private let transparent: DecodedImage
  private let original: ImageMetadata

  init() throws {
    let jpeg = try ExifSample.jpeg()
    image = try JPEGDecoder().decode(jpeg, options: DecodingOptions(size: .fit(width: 30, height: 30)))
    original = try ImageMetadata(of: jpeg)
    let bitmap = try Bitmap(size: PixelSize(width: 7, height: 5), isOpaque: false) { $0[3] = 100 }
    transparent = DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, storedSize: bitmap.size))
  }

  @Test(arguments: formats)
  func `without a policy a file has no metadata`(format: ImageFormat) async throws {
    let metadata = try ImageMetadata(of: await image.encoded(as: format))
    #expect(metadata.exif == nil && metadata.xmp == nil && metadata.copyright == nil)
  }

  @Test(arguments: formats)
  func `kept metadata is upright, in sRGB and without the thumbnail`(format: ImageFormat) async throws {
    let file = try await image.encoded(as: format, metadata: original)
    let metadata = try ImageMetadata(of: file)
    #expect(metadata.cameraModel == "Canon EOS R5")
    #expect(metadata.captureTime == original.captureTime)
    #expect(metadata.copyright == "(c) Ann 2024")
    #expect(metadata.info.orientation == .up)
    #expect(metadata.info.pixelSize == image.size)
    #expect(metadata.colorSpace == "sRGB")
    #expect(metadata.exif?.range(of: Data("R98".utf8)) != nil && metadata.exif?.range(of: Data("R03".utf8)) == nil)
    #expect(original.exif?.range(of: Data([7, 7, 7, 7, 7, 7])) != nil)
    #expect(metadata.exif?.range(of: Data([7, 7, 7, 7, 7, 7])) == nil)
    #expect(metadata.xmp.map { String(decoding: $0, as: UTF8.self) }?.contains("tiff:Orientation=\"1\"") == true)
    // The pixels are the same as without metadata.
    let plain = try await image.encoded(as: format)
    let decoder = try #require(StandardCodecs.decoders.first { $0.formats.contains(format) })
    let bitmaps = try [file, plain].map { try decoder.decode($0, options: DecodingOptions()).bitmap }
    #expect(bitmaps[0].largestDifference(to: bitmaps[1]) == 0)
  }

  #if !IMAGEIO
  @Test(arguments: formats)
  func `kept metadata of a picture in Display P3 does not say sRGB`(format: ImageFormat) async throws {
    let bitmap = try Bitmap(size: PixelSize(width: 7, height: 5), isOpaque: true, colorSpace: .displayP3) { _ in }
    let wide = DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, storedSize: bitmap.size))
    let metadata = try ImageMetadata(of: await wide.encoded(as: format, metadata: original))
    #expect(metadata.cameraModel == "Canon EOS R5")
    #expect(metadata.colorSpace != "sRGB")
  }
  #endif

  @Test(arguments: formats)
  func `only the copyright is written if nothing else is wanted`(format: ImageFormat) async throws {
    let metadata = try ImageMetadata(of: await image.encoded(as: format, metadata: original.onlyCopyright))
    #expect(metadata.copyright == "(c) Ann 2024")
    #expect(metadata.artist == "Ann")
    #expect(metadata.camera == nil && metadata.captureDate == nil && metadata.xmp == nil)
  }

  @Test(arguments: [ImageFormat.png, .webp].filter(\.isWritable))
  func `transparency is kept beside metadata`(format: ImageFormat) async throws {
    let file = try await transparent.encoded(as: format, metadata: original)
    let decoder = try #require(StandardCodecs.decoders.first { $0.formats.contains(format) })
    let image = try decoder.decode(file, options: DecodingOptions())
    #expect(image.info.hasAlpha)
    #expect(image.size == transparent.size)
  }

  @Test func `fields without Exif data are written as new Exif data`() async throws {
    let date = DateComponents(
      calendar: Calendar(identifier: .gregorian), timeZone: TimeZone(secondsFromGMT: -5400), year: 1999, month: 12,
      day: 31, hour: 23,
      minute: 59, second: 58)
    let fields = ImageMetadata(info: image.info, cameraMake: "A", cameraModel: "B", captureDate: date, copyright: "Zoë")
    let metadata = try ImageMetadata(of: await image.encoded(as: .png, metadata: fields))
    #expect(metadata.camera == "A B")
    #expect(metadata.captureTime == "1999-12-31 23:59:58-01:30")
    #expect(metadata.copyright == "Zoë")
  }

  @Test(
    arguments: [
      (DateComponents(year: 1999, month: 12, day: 31, hour: 23, minute: 59), "1999-12-31 23:59:00"),
      (DateComponents(year: 1999, month: 12, day: 31), nil),
    ] as [(DateComponents, String?)])
  func `a date is written with its seconds, or not without a time`(_ date: DateComponents, _ expected: String?)
    async throws
  {
    let fields = ImageMetadata(info: image.info, captureDate: date, copyright: "A")
    let metadata = try ImageMetadata(of: await image.encoded(as: .png, metadata: fields))
    #expect(metadata.captureTime == expected)
    #expect(metadata.copyright == "A")
  }

  @Test func `a JPEG file leaves out what does not fit into a segment`() async throws {
    var large = original
    large.xmp = Data(repeating: 0x20, count: 70_000)
    let file = try await image.encoded(as: .jpeg, metadata: large)
    let metadata = try ImageMetadata(of: file)
    #expect(metadata.xmp == nil)
    #expect(metadata.cameraMake == "Canon")
    #expect(try ImageMetadata(of: await image.encoded(as: .png, metadata: large)).xmp?.count == 70_000)
  }

  @Test func `an encoder without metadata refuses to drop it`() async throws {
    let error = ImageEncodingError.metadataNotSupported(.gif)
    await #expect(throws: error) { try await image.encoded(as: .gif, metadata: original) }
    #expect(error.description.contains("jpeg, png or webp"))
    let options = EncodingOptions(metadata: original)
    #expect(throws: error) {
      try GIFEncoder().frameWriter(for: AnimationInfo(frameCount: 2, loopCount: nil), options: options)
    }
    let nothing = ImageMetadata(info: image.info)
    _ = try await image.encoded(as: .gif, metadata: nothing)
  }
}
