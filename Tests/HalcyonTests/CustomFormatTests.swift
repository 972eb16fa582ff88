import Foundation
import Halcyon
import HalcyonBackend
import HalcyonHTTP
@_spi(Programs) import HalcyonImaging
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// A format of the program's own, from the network to the store and back.
@Suite(.integrationTest)
struct CustomFormatTests {
  /// A file of one colour that begins like a TIFF file.
  private static let flag = Data([0x49, 0x49, 0x2A, 0] + Array("FLAG".utf8) + [6, 4, 200, 100, 50])

  private func pipeline(_ transport: (any Transport)? = nil, in folder: URL) -> ImagePipeline {
    var configuration = PipelineConfiguration()
    configuration.cache = ImageCache(in: folder)
    configuration.decoders.append(FlagDecoder())
    configuration.encoders.append(FlagEncoder())
    if let transport { configuration.transport = transport }
    return ImagePipeline(configuration: configuration)
  }

  @Test func `a made-up format is downloaded, stored, and read back by a second pipeline`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/a.flag", .body(Self.flag, headers: ["Cache-Control": "max-age=60"]))
      let request = ImageRequest(url: url, size: .fit(width: 3, height: 3))
      let first = pipeline(in: folder)
      let fetched = try await first.response(for: request)
      #expect(fetched.origin == .network)
      #expect(fetched.image.info.format == .custom("flag"))
      await first.cache.flush()

      let stored = try await pipeline(in: folder).response(for: request)
      #expect(stored.origin == .store)
      #expect(stored.image.size == PixelSize(width: 3, height: 2))
      #expect(stored.image.bitmap[2, 1] == (200, 100, 50, 255))
      #expect(server.requests.count == 1)
    }
  }

  @Test func `a custom format that begins like a built-in one is detected however its bytes arrive`() async throws {
    try await TemporaryDirectory.run { folder in
      let long = Self.flag + Data(repeating: 0, count: 2_000)
      let transport = ScriptedTransport { _ in .response(body: long, pieceByteCount: 1) }
      let pipeline = pipeline(transport, in: folder)
      let image = try await pipeline.image(for: try #require(URL(string: "http://127.0.0.1/a")))
      #expect(image.info.format == .custom("flag"))
      await pipeline.cache.flush()
    }
  }

  @Test func `the formats of decoders are named in the Accept header`() {
    let decoders = StandardCodecs.decoders + [FlagDecoder()]
    let configuration = PipelineConfiguration(
      transport: ScriptedTransport { _ in .failure(.cancelled) }, decoders: decoders)
    #expect(configuration.headers["Accept"]?.contains(",image/flag,") == true)
  }

  @Test func `a made-up format is chosen, written, stored and named as a built-in one is`() async throws {
    try await withOrigin { server, folder in
      let format = ImageFormat.custom("flag")
      let request = ImageRequest(
        url: server.serve("/a.jpg", .body(try Photos.data("rocket.jpg"))), size: .fit(width: 8))
      let chosen = FormatChoice([.webp, format]).format(accepting: "image/flag, image/webp;q=0.9")
      #expect(chosen == format)
      let pipeline = pipeline(in: folder)
      for wasStored in [false, true] {
        let file = try await pipeline.encodedResponse(for: request, as: format, metadata: .keep)
        #expect(file.wasStored == wasStored && file.httpHead().headers["Content-Type"] == "image/flag")
        #expect(file.data.prefix(8) == Self.flag.prefix(8))
        await pipeline.cache.flush()
      }
      let planned = try await pipeline.encodedResponse(for: request, planIdentifier: "flag") { _ in
        Rendition(size: .fit(width: 8), encoding: Rendition.Encoding(as: format))
      }
      #expect(planned.httpHead().headers["Content-Type"] == "image/flag")
      // The stored form of an image is decoded again.
      var stored = ImageRequest(url: server.serve("/b.jpg", .body(try Photos.data("rocket.jpg"))), size: .fit(width: 8))
      stored.storage = .encoded(as: format, keepsOriginal: false)
      for origin in [ImageOrigin.network, .store] {
        stored.memoryAccess = .disabled
        #expect(try await pipeline.response(for: stored).origin == origin)
        await pipeline.cache.flush()
      }
    }
  }

  @Test(arguments: ImageFormat.builtIn + [.custom("flag")])
  func `a format is made from its name again`(_ format: ImageFormat) {
    #expect(ImageFormat(rawValue: format.rawValue) == format)
  }
}

/// Decodes files of one colour: a signature of eight bytes, width, height, red, green and blue.
private struct FlagDecoder: ImageDecoder {
  private static let format = ImageFormat.custom("flag")
  let formats: Set<ImageFormat> = [format]

  func format(sniffing prefix: Data) -> ImageFormat? {
    prefix.dropFirst(4).starts(with: "FLAG".utf8) ? Self.format : nil
  }

  func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    let bytes = Array(bytes.prefix(10))
    guard bytes.count == 10 else {
      if isComplete { throw ImageDecodingError.truncated(Self.format) }
      return nil
    }
    return ImageInfo(format: Self.format, storedSize: PixelSize(width: Int(bytes[8]), height: Int(bytes[9])))
  }

  func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    let color = Array(bytes.dropFirst(10).prefix(3)) + [255]
    guard color.count == 4, let info = try probe(bytes, isComplete: true) else {
      throw ImageDecodingError.truncated(Self.format)
    }
    let bitmap = try Bitmap(size: options.outputSize(for: info.pixelSize), isOpaque: true) { pixels in
      for index in pixels.indices { pixels[index] = color[index % 4] }
    }
    return DecodedImage(bitmap: bitmap, info: info)
  }
}

/// Writes files of the colour of the first pixel.
private struct FlagEncoder: ImageEncoder {
  let format = ImageFormat.custom("flag")

  func encode(_ bitmap: Bitmap, options: EncodingOptions) -> Data {
    let color = bitmap[0, 0]
    return Data(
      [0x49, 0x49, 0x2A, 0] + Array("FLAG".utf8)
        + [UInt8(bitmap.size.width), UInt8(bitmap.size.height), color.red, color.green, color.blue])
  }
}
