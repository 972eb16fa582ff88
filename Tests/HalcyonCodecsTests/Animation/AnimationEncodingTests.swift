import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

/// Images that stay animated when they are encoded.
@Suite(.integrationTest)
struct AnimationEncodingTests {
  private static let formats: [ImageFormat] = [.gif, .webp, .avif].filter(\.isWritable)
  private static let side = 48

  private static let colors = [
    Color(255, 0, 0, 255), Color(0, 160, 0, 255), Color(0, 0, 255, 255), Color(250, 250, 250, 255),
  ]

  /// A coloured square that moves over a grey or a transparent background.
  private static func frames(
    isOpaque: Bool, durations: [Int] = [50, 120, 30, 1200]
  ) throws -> [AnimationFrame] {
    try durations.enumerated().map { index, milliseconds in
      let bitmap = try Bitmap.painted(side, side, isOpaque: isOpaque) { column, row in
        let isInside = (index * 12..<index * 12 + 12).contains(column) && (12..<36).contains(row)
        return isInside ? colors[index % 4] : isOpaque ? Color(128, 128, 128, 255) : Color(0, 0, 0, 0)
      }
      return AnimationFrame(bitmap: bitmap, duration: .milliseconds(milliseconds))
    }
  }

  private static func animation(
    _ frames: [AnimationFrame], loopCount: Int? = nil
  ) throws -> DecodedImage {
    try DecodedImage(data: StandardCodecs.gif(frames, loopCount: loopCount))
  }

  private static func reader(_ file: Data) throws -> any ImageFrameReader {
    let decoder = try StandardCodecs.decoder(for: #require(ImageFormat(sniffing: file)))
    return try #require(decoder as? any AnimatedImageDecoder).frameReader(for: file, options: DecodingOptions())
  }

  private static func decoded(_ file: Data) throws -> [AnimationFrame] {
    let reader = try reader(file)
    var frames: [AnimationFrame] = []
    while let frame = try reader.nextFrame() { frames.append(frame) }
    return frames
  }

  @Test(arguments: formats, [true, false])
  func `an animated image keeps its frames and durations`(_ format: ImageFormat, _ isOpaque: Bool) async throws {
    let frames = try Self.frames(isOpaque: isOpaque)
    let image = try Self.animation(frames)
    let file = try await image.encoded(as: format, quality: 0.95)
    #expect(ImageFormat(sniffing: file) == format)
    let info = try StandardCodecs.decoder(for: format).probe(file, isComplete: true)
    #expect(info?.frameCount == 4)
    #expect(info?.hasAlpha == !isOpaque || format == .gif)
    let copies = try Self.decoded(file)
    #expect(copies.map(\.duration) == frames.map(\.duration))
    for (index, (copy, frame)) in zip(copies, frames).enumerated() {
      // A pixel of the square, one where the square is next, and one of the background.
      for (column, row) in [(index * 12 + 6, 24), ((index * 12 + 18) % 48, 24), (index * 12 + 6, 5)] {
        let difference = copy.bitmap.color(column, row) &- frame.bitmap.color(column, row)
        #expect((0..<4).allSatisfy { abs(difference[$0]) < 12 }, "\(index): \(column) \(difference)")
      }
    }
  }

  @Test func `an animation that is cut behind its last frame is damaged`() throws {
    let file = try FormatFixture.data("keep-over.apng")
    var rendition = Rendition(size: .fit(width: 9), encoding: Rendition.Encoding(as: .gif))
    rendition.frameLimit = 100
    for (missing, isCut) in [(0, false), (13, true)] {
      let file = Renderer.File(file.dropLast(missing), by: PNGDecoder())
      rendition.allowsPartialImage = false
      if isCut { #expect(throws: RenderingError.self) { try Renderer.standard.rendered(file, as: rendition) } }
      rendition.allowsPartialImage = true
      let rendered = try Renderer.standard.rendered(file, as: rendition)
      #expect(rendered.isPartial == isCut && rendered.frameCount > 1)
    }
  }

  @Test(arguments: formats, [nil, 1, 2, 40])
  func `an animated image keeps the number of its loops`(_ format: ImageFormat, _ loopCount: Int?) throws {
    // Alpha is another track, with an edit list of its own.
    for isOpaque in [true, false] {
      let image = try Self.animation(try Self.frames(isOpaque: isOpaque), loopCount: loopCount)
      #expect(image.animation?.loopCount == loopCount)
      let file = try image.encoded(as: format)
      let reader = try Self.reader(file)
      #expect(reader.animation == AnimationInfo(frameCount: 4, loopCount: loopCount))
      let frame = try #require(try reader.nextFrame())
      #expect(frame.bitmap.hasTransparentPixel == !isOpaque && frame.bitmap[6, 24].alpha > 250)
    }
  }

  @Test(arguments: formats.filter { $0 == .avif })
  func `a transparent frame behind an opaque one gets the background`(_ format: ImageFormat) throws {
    let encoder = try #require(StandardCodecs.encoder(for: format) as? any AnimatedImageEncoder)
    var frames = try [false, true].map { isOpaque in
      let bitmap = try Bitmap.painted(16, 16, isOpaque: isOpaque) { _, _ in isOpaque ? Self.colors[2] : Color() }
      return AnimationFrame(bitmap: bitmap, duration: .milliseconds(50))
    }
    let options = EncodingOptions(quality: 1, background: PixelColor(red: 255, green: 0, blue: 0))
    let file = try encoder.encode(AnimationInfo(frameCount: 2, loopCount: nil), options: options) { frames.popLast() }
    let difference = try #require(try Self.decoded(file).last).bitmap.color(8, 8) &- Color(255, 0, 0, 255)
    #expect((0..<4).allSatisfy { abs(difference[$0]) < 12 }, "\(difference)")
  }

  @Test(arguments: formats)
  func `processors apply to every frame that is encoded`(_ format: ImageFormat) throws {
    let image = try Self.animation(try Self.frames(isOpaque: true)).processed(by: [
      .crop(x: 0, y: 12, width: 48, height: 24), .invert,
    ])
    let copies = try Self.decoded(try image.encoded(as: format, quality: 0.95))
    #expect(copies.count == 4)
    for (index, copy) in copies.enumerated() {
      #expect(copy.bitmap.size == PixelSize(width: 48, height: 24))
      let expected = Color(255, 255, 255, 510) &- Self.colors[index]
      let difference = copy.bitmap.color(index * 12 + 6, 12) &- expected
      #expect((0..<4).allSatisfy { abs(difference[$0]) < 12 }, "\(index): \(difference)")
    }
  }

  @Test func `a file written with an extension of another format has the still frame`() throws {
    let image = try Self.animation(try Self.frames(isOpaque: true))
    for format in [ImageFormat.png, .jpeg] {
      let file = try image.encoded(as: format)
      #expect(try StandardCodecs.decoder(for: format).probe(file, isComplete: true)?.frameCount == 1)
    }
    let still = try DecodedImage(bitmap: image.bitmap).encoded(as: .gif)
    #expect(try DecodedImage(data: still).animation == nil)
  }

  @Test func `a GIF stores only the area in which a frame differs from the one before`() throws {
    let photo = try PNGDecoder().decode(Fixture.data(Fixture.photo), options: DecodingOptions()).bitmap
    let still = try GIFEncoder().encode(photo, options: EncodingOptions()).count
    let frames = try (0..<6).map { index in
      let dot = try Bitmap.painted(4, 4) { _, _ in Color(index * 40, 0, 0, 255) }
      let marked = try BuiltInProcessor.watermark(dot, inset: 3).process(photo)
      return AnimationFrame(bitmap: marked, duration: .milliseconds(50))
    }
    let file = try StandardCodecs.gif(frames)
    #expect(file.count < still + still / 2, "\(file.count) bytes of \(still)")
    let copies = try Self.decoded(file)
    #expect(copies.count == 6)
    // A part that does not change is not dithered again.
    let corner = try copies.map { try $0.bitmap.rows(from: 0, count: 8) }
    #expect(corner.allSatisfy { $0.largestDifference(to: corner[0]) == 0 })
  }

  @Test(arguments: formats)
  func `frames of different sizes and no frames are rejected`(_ format: ImageFormat) throws {
    let encoder = try #require(StandardCodecs.encoder(for: format) as? any AnimatedImageEncoder)
    let frames = try [8, 16].map { AnimationFrame(bitmap: try Bitmap.gradient($0, 8), duration: .zero) }
    for frames in [frames, []] {
      var rest = frames[...]
      #expect(throws: ImageEncodingError.self) {
        try encoder.encode(AnimationInfo(frameCount: 2, loopCount: nil), options: EncodingOptions()) { rest.popFirst() }
      }
    }
  }

  @Test(arguments: [(ImageFormat.gif, 65_536), (.webp, 16_384)].filter { $0.0.isWritable })
  func `a width or height over the limit of the format is rejected, of a frame as well`(
    _ format: ImageFormat, _ side: Int
  ) throws {
    let encoder = try #require(StandardCodecs.encoder(for: format) as? any AnimatedImageEncoder)
    for size in [PixelSize(width: side, height: 1), PixelSize(width: 1, height: side)] {
      let bitmap = try Bitmap(size: size, isOpaque: true) { _ in }
      #expect(throws: ImageEncodingError.tooLarge(format, size)) {
        try encoder.encode(bitmap, options: EncodingOptions())
      }
      var rest = [AnimationFrame(bitmap: bitmap, duration: .zero)][...]
      #expect(throws: ImageEncodingError.tooLarge(format, size)) {
        try encoder.encode(AnimationInfo(frameCount: 1, loopCount: nil), options: EncodingOptions()) { rest.popFirst() }
      }
    }
  }

  @Test(arguments: formats)
  func `a damaged frame is an error of the decoder`(_ format: ImageFormat) throws {
    let file = try FormatFixture.data("keep.gif")
    let image = try DecodedImage(data: file)
    let damaged = DecodedImage(
      bitmap: image.bitmap, info: image.info,
      animation: try AnimatedImage(
        data: file.prefix(file.count * 3 / 4), info: image.info, decoder: GIFDecoder(), options: DecodingOptions()))
    #expect(throws: ImageDecodingError.truncated(.gif)) { try damaged.encoded(as: format) }
  }

  @Test(arguments: formats)
  func `only a few frames are in memory while an animation is encoded`(_ format: ImageFormat) throws {
    let encoder = try #require(StandardCodecs.encoder(for: format) as? any AnimatedImageEncoder)
    var frames: [WeakBitmap] = []
    _ = try encoder.encode(AnimationInfo(frameCount: 20, loopCount: nil), options: EncodingOptions()) {
      #expect(frames.count { $0.bitmap != nil } <= 2)
      guard frames.count < 20 else { return nil }
      let bitmap = try Bitmap.gradient(40, 30)
      frames.append(WeakBitmap(bitmap))
      return AnimationFrame(bitmap: bitmap, duration: .milliseconds(40))
    }
    #expect(frames.count == 20)
  }
}
