@_spi(Programs) import HalcyonImaging
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct StandardCodecsTests {
  @Test func `every format with an encoder has a decoder`() {
    #expect(StandardCodecs.writable.isSubset(of: StandardCodecs.readable))
    #expect(StandardCodecs.readable.isSuperset(of: [.jpeg, .png, .gif, .webp, .bmp, .ico, .tiff]))
  }

  @Test func `each format trait adds exactly its format`() {
    var expected: Set<ImageFormat> = []
    #if AVIF || IMAGEIO
    expected.insert(.avif)
    #endif
    #if HEIF || IMAGEIO
    expected.insert(.heic)
    #endif
    #if JXL || IMAGEIO
    expected.insert(.jpegXL)
    #endif
    #if SVG && !IMAGEIO
    expected.insert(.svg)
    #endif
    #expect(StandardCodecs.readable.intersection([.avif, .heic, .jpegXL, .svg]) == expected)
  }

  #if !IMAGEIO
  @Test func `the settings of the encoders change their files`() throws {
    let photo = try PNGDecoder().decode(Fixture.data(Fixture.photo), options: DecodingOptions()).bitmap
    var settings = EncoderSettings()
    let plain = settings.encoders
    (settings.isJPEGProgressive, settings.isPNGInterlaced) = (true, true)
    (settings.webPEffort, settings.avifSpeed, settings.jpegXLEffort) = (6, 5, 7)
    for (encoder, plain) in zip(settings.encoders, plain) {
      #expect(encoder.format == plain.format)
      let (file, other) = (
        try encoder.encode(photo, options: EncodingOptions()), try plain.encode(photo, options: EncodingOptions())
      )
      #expect((file == other) == (encoder.format == .gif), "\(encoder.format)")
      guard [.jpeg, .png].contains(encoder.format) else { continue }
      let (metadata, otherMetadata) = (try ImageMetadata(of: file), try ImageMetadata(of: other))
      #expect(metadata.isProgressive && !otherMetadata.isProgressive)
      let images = (try DecodedImage(data: file), try DecodedImage(data: other))
      #expect(images.0.bitmap.largestDifference(to: images.1.bitmap) == 0)
    }
    var drawing = EncoderSettings()
    drawing.webPPreset = .drawing
    let files = try [plain, drawing.encoders].map { encoders in
      let encoder = try #require(encoders.first { $0.format == .webp })
      return try encoder.encode(photo, options: EncodingOptions())
    }
    #expect(files[0] != files[1])
  }
  #endif

  @Test func `the codecs of a format are found by it`() throws {
    for format in ImageFormat.builtIn where StandardCodecs.readable.contains(format) {
      #expect(try StandardCodecs.decoder(for: format).formats.contains(format))
    }
    for format in StandardCodecs.writable { #expect(try StandardCodecs.encoder(for: format).format == format) }
    #expect(throws: ImageDecodingError.unsupportedFormat(.custom("flag"))) {
      try StandardCodecs.decoder(for: .custom("flag"))
    }
    #expect(throws: ImageEncodingError.unsupportedFormat(.bmp)) { try StandardCodecs.encoder(for: .bmp) }
    for format in [ImageFormat.png, .gif, .webp] {
      #expect(try StandardCodecs.decoder(for: format) is any AnimatedImageDecoder)
    }
    #if IMAGEIO
    #expect(StandardCodecs.writable == [.jpeg, .png, .gif])
    #else
    #expect(StandardCodecs.writable.isSuperset(of: [.jpeg, .png, .webp, .gif]))
    #endif
  }
}
