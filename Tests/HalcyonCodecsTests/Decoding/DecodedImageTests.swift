import Foundation
import HalcyonCodecs
import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest) struct DecodedImageTests {
  private let photo: Data

  init() throws { photo = try Photos.data("rocket.jpg") }

  @Test func `a file is decoded at a size, with and without await`() async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "a photo.jpg")
      try photo.write(to: file)
      let image = try await DecodedImage(contentsOf: file, size: .fit(width: 64))
      #expect(image.size.width == 64 && image.info.format == .jpeg)
      let copies = try await [
        DecodedImage(data: photo, size: .fit(width: 64)), decodedHere(file), decodedHere(photo),
      ]
      for copy in copies {
        #expect(copy.bitmap.withUnsafeBytes { Data($0) } == image.bitmap.withUnsafeBytes { Data($0) })
      }
      #expect(try await DecodedImage(contentsOf: file).size == image.info.pixelSize)
    }
  }

  private func decodedHere(_ file: URL) throws -> DecodedImage {
    try DecodedImage(contentsOf: file, size: .fit(width: 64))
  }

  private func decodedHere(_ data: Data) throws -> DecodedImage { try DecodedImage(data: data, size: .fit(width: 64)) }

  @Test func `an animation keeps its frames`() async throws {
    let image = try await DecodedImage(data: TinyGIF.animation(reds: [10, 20, 30]))
    #expect(image.animation?.frameCount == 3)
    let inverted = try await image.processed(by: [.invert])
    #expect(inverted.bitmap[0, 0].red == 245)
    var reds: [UInt8] = []
    for try await frame in try #require(inverted.animation).frames { reds.append(frame.bitmap[0, 0].red) }
    #expect(reds == [245, 235, 225])
  }

  @Test func `processors are applied in order, with and without await`() async throws {
    let image = try await DecodedImage(data: photo, size: .fit(width: 64))
    let processors: [any ImageProcessor] = [.crop(width: 20, height: 10), .rotate(degrees: 90)]
    let result = try await image.processed(by: processors)
    #expect(result.size == PixelSize(width: 10, height: 20) && result.info == image.info)
    func processedHere() throws -> DecodedImage { try image.processed(by: processors) }
    #expect(try processedHere().size == result.size)
    await #expect(throws: ImageProcessingError.self) { try await image.processed(by: [.blur(radius: -1)]) }
  }

  @Test func `errors name the file or the limit`() async throws {
    try await TemporaryDirectory.run { folder in
      let missing = folder.appending(path: "missing.png")
      let error = await #expect(throws: ImageDecodingError.self) { try await DecodedImage(contentsOf: missing) }
      #expect(error?.description.contains("missing.png cannot be read: ") == true)
      let unreadable = [folder, try #require(URL(string: "http://example.com/a.png"))]
      for url in unreadable {
        let error = await #expect(throws: ImageDecodingError.self) { try await DecodedImage(contentsOf: url) }
        #expect(error?.description.contains(" cannot be read: ") == true)
      }
      await #expect(throws: ImageDecodingError.unknownFormat) { try await DecodedImage(data: Data("text".utf8)) }
      let tooManyBytes = ImageDecodingError.tooManyBytes(photo.count, limit: 10)
      let limits = ImageLimits(encodedByteCount: 10)
      await #expect(throws: tooManyBytes) { try await DecodedImage(data: photo, limits: limits) }
      let exact = ImageLimits(encodedByteCount: photo.count)
      #expect(try await DecodedImage(data: photo, size: .fit(width: 8), limits: exact).size.width == 8)
      let file = folder.appending(path: "photo.jpg")
      try photo.write(to: file)
      await #expect(throws: tooManyBytes) { try await DecodedImage(contentsOf: file, limits: limits) }
      await #expect(throws: ImageDecodingError.self) {
        try await DecodedImage(data: photo, limits: ImageLimits(pixelCount: 5))
      }
      await #expect(throws: ImageDecodingError.truncated(.jpeg)) { try await DecodedImage(data: photo.prefix(9000)) }
    }
  }

  @Test func `a cancelled task throws the error for cancelled decoding`() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await DecodedImage(data: photo)
    }
    await #expect(throws: ImageDecodingError.cancelled) { try await task.value }
  }

  @Test func `an image without properties has those of a PNG`() throws {
    let bitmap = try Bitmap(size: PixelSize(width: 3, height: 2), isOpaque: false) { _ in }
    #expect(
      DecodedImage(bitmap: bitmap).info == ImageInfo(format: .png, storedSize: bitmap.size, hasAlpha: true))
  }
}
