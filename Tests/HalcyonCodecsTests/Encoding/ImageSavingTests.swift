import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest) struct ImageSavingTests {
  private let image: DecodedImage

  init() throws {
    let bitmap = try Bitmap(size: PixelSize(width: 32, height: 24), isOpaque: false) { pixels in
      for index in stride(from: 0, to: pixels.count, by: 4) {
        pixels[index] = UInt8(index / 4 % 32 * 4)
        pixels[index + 3] = 128
      }
    }
    image = DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, storedSize: bitmap.size))
  }

  @Test(arguments: [ImageFormat.jpeg, .png, .webp, .gif].filter(\.isWritable))
  func `an image is encoded in every writable format`(format: ImageFormat) async throws {
    let data = try await image.encoded(as: format, quality: 0.9)
    #expect(ImageFormat(sniffing: data) == format)
    let decoder = try #require(StandardCodecs.decoders.first { $0.formats.contains(format) })
    #expect(try decoder.decode(data, options: DecodingOptions()).size == image.size)
    #expect(try encodedHere(format) == data, "the synchronous method makes the same file")
  }

  private func encodedHere(_ format: ImageFormat) throws -> Data { try image.encoded(as: format, quality: 0.9) }

  @Test func `quality and background have an effect`() async throws {
    let (low, high) = (try await image.encoded(as: .jpeg, quality: 0.1), try await image.encoded(as: .jpeg, quality: 1))
    #expect(low.count < high.count)
    let black = try await image.encoded(as: .jpeg, quality: 1, background: PixelColor(red: 0, green: 0, blue: 0))
    let blue = { (data: Data) in try JPEGDecoder().decode(data, options: DecodingOptions()).bitmap[0, 0].blue }
    #expect(try blue(black) < 20)
    #expect(try blue(high) > 100)
  }

  @Test func `a file is written in the format of its extension, or in the one given`() async throws {
    try await TemporaryDirectory.run { folder in
      let photo = folder.appending(path: "photo.JPG")
      try await image.write(to: photo)
      #expect(ImageFormat(sniffing: try Data(contentsOf: photo)) == .jpeg)
      let other = folder.appending(path: "photo.bin")
      try await image.write(to: other, as: .gif)
      #expect(ImageFormat(sniffing: try Data(contentsOf: other)) == .gif)
      // A file that did not exist gets the permissions of any new file.
      try writeHere(to: photo)
      let expected = try await image.encoded(as: .jpeg, quality: 0.5, background: Self.black)
      #expect(try Data(contentsOf: photo) == expected)
      let plain = folder.appending(path: "plain")
      #expect(FileManager.default.createFile(atPath: plain.path, contents: nil))
      #expect(try permissions(photo) == permissions(plain))
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3, "no temporary file is left")
    }
  }

  private static let black = PixelColor(red: 0, green: 0, blue: 0)

  private func writeHere(to file: URL) throws { try image.write(to: file, quality: 0.5, background: Self.black) }

  private func permissions(_ file: URL) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
  }

  @Test func `errors name the file, the format and what to do`() async throws {
    try await TemporaryDirectory.run { folder in
      let nameless = folder.appending(path: "photo")
      await #expect(throws: ImageEncodingError.unknownFileExtension(nameless)) { try await image.write(to: nameless) }
      await #expect(throws: ImageEncodingError.unsupportedFormat(.bmp)) { try await image.encoded(as: .bmp) }
      let missing = folder.appending(path: "missing/photo.png")
      let error = await #expect(throws: ImageEncodingError.self) { try await image.write(to: missing) }
      #expect(error?.description.contains("missing/photo.png cannot be written: ") == true)
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(files == [])
    }
  }
}
