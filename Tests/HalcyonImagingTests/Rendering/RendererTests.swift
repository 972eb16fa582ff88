import Foundation
import HalcyonSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonImaging

/// What a renderer asks of decoders and encoders.
@Suite(.unitTest)
struct RendererTests {
  /// A decoder of images of 20 by 10 pixels that records its options.
  private final class RecordingDecoder: ImageDecoder {
    let formats: Set<ImageFormat>
    private let recorded = Lock<[DecodingOptions]>([])

    private let frameCount: Int

    init(_ format: ImageFormat = .png, frameCount: Int = 1) { (formats, self.frameCount) = ([format], frameCount) }

    var options: [DecodingOptions] { recorded.withLock { $0 } }

    func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
      formats.first.map { ImageInfo(format: $0, storedSize: PixelSize(width: 20, height: 10), frameCount: frameCount) }
    }

    func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
      recorded.withLock { $0.append(options) }
      return DecodedImage(bitmap: try RendererTests.bitmap())
    }
  }

  /// An encoder of bytes that counts its calls.
  private final class CountingEncoder: ImageEncoder {
    let format: ImageFormat
    let calls = Atomic<Int>(0)

    init(_ format: ImageFormat) { self.format = format }

    func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
      _ = calls.add(1)
      return Data([1])
    }
  }

  private struct RangeEncoder: HighDynamicRangeEncoder {
    let format: ImageFormat
    let writesGainMaps: Bool

    func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data { Data([1]) }

    func encode(_ bitmap: Bitmap, gainMap: GainMap?, options: EncodingOptions) throws -> Data { Data([1]) }
  }

  private static func bitmap(_ colorSpace: ColorSpace = .sRGB) throws -> Bitmap {
    try Bitmap(size: PixelSize(width: 2, height: 1), isOpaque: true, colorSpace: colorSpace) { bytes in
      bytes.copyBytes(from: [200, 100, 50, 255, 10, 20, 30, 255])
    }
  }

  private func renderer(_ encoders: [any ImageEncoder]) -> Renderer {
    Renderer(encoders: encoders, limits: ImageLimits())
  }

  @Test(
    arguments: [
      (nil, [], .high, false), (.jpeg, [], .high, true), (.avif, [], .high, false), (.webp, [], .standard, false),
      (nil, [.invert], .standard, false), (.jpeg, [.invert], .standard, false),
      (.jpeg, [.flip(.horizontal)], .high, true),
    ] as [(ImageFormat?, [BuiltInProcessor], DynamicRange, Bool)])
  func `the range of an image is kept for what can show it, and its gain map for who writes one`(
    format: ImageFormat?, processors: [BuiltInProcessor], range: DynamicRange, keepsGainMap: Bool
  ) throws {
    let decoder = RecordingDecoder()
    let encoders: [any ImageEncoder] = [
      RangeEncoder(format: .jpeg, writesGainMaps: true), RangeEncoder(format: .avif, writesGainMaps: false),
      CountingEncoder(.webp),
    ]
    var rendition = Rendition(processors: processors, encoding: format.map { Rendition.Encoding(as: $0) })
    for (wanted, received) in [(DynamicRange.high, range), (.standard, .standard)] {
      rendition.dynamicRange = wanted
      _ = try renderer(encoders).rendered(Renderer.File(Data(), by: decoder), as: rendition)
      let options = try #require(decoder.options.last)
      #expect(options.dynamicRange == received)
      #expect(options.keepsGainMap == (keepsGainMap && wanted == .high))
    }
  }

  /// A decoder of an image that is cut.
  private struct PartialDecoder: ImageDecoder {
    let formats: Set<ImageFormat> = [.png]

    func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? { nil }

    func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
      DecodedImage(bitmap: try RendererTests.bitmap(), isPartial: true)
    }
  }

  @Test func `a placeholder is made of a whole picture`() throws {
    for (size, isWhole) in [
      (TargetSize.original, true), (.fit(width: 5, height: 5), true), (.fill(width: 5, height: 5), false),
      (.exact(width: 5, height: 5), false),
    ] {
      for decoder in [RecordingDecoder(), PartialDecoder()] as [any ImageDecoder] {
        for isWanted in [true, false] {
          let rendered = try renderer([]).rendered(
            Renderer.File(Data(), by: decoder), as: Rendition(size: size), makesPlaceholder: isWanted)
          #expect((rendered.placeholder != nil) == (isWanted && isWhole && decoder is RecordingDecoder))
        }
      }
    }
    let part = Rendition(region: PixelArea(left: 0, top: 0, width: 1, height: 1))
    let file = Renderer.File(Data(), by: RecordingDecoder())
    #expect(try renderer([]).rendered(file, as: part, makesPlaceholder: true).placeholder == nil)
  }

  @Test func `nothing is encoded for work that was cancelled`() throws {
    let (encoder, flag) = (CountingEncoder(.png), CancellationFlag())
    let image = DecodedImage(bitmap: try Self.bitmap())
    _ = try flag.asCurrent { try renderer([encoder]).encoded(image, as: Rendition.Encoding(as: .png)) }
    flag.cancel()
    #expect(throws: RenderingError.self) {
      try flag.asCurrent { try renderer([encoder]).encoded(image, as: Rendition.Encoding(as: .png)) }
    }
    #expect(encoder.calls.load() == 1)
  }

  @Test(arguments: [(TargetColorSpace.sRGB, ColorSpace.sRGB), (.displayP3, .displayP3), (.source, .displayP3)])
  func `an image that is known is converted to the colour space of the rendition`(
    target: TargetColorSpace, result: ColorSpace
  ) throws {
    let decoder = RecordingDecoder()
    let file = Renderer.File(Data(), by: decoder, image: DecodedImage(bitmap: try Self.bitmap(.displayP3)))
    var rendition = Rendition()
    rendition.colorSpace = target
    let image = try renderer([]).decoded(file, as: rendition)
    #expect(image.bitmap.colorSpace == result)
    #expect(decoder.options.isEmpty)
  }

  @Test(arguments: [
    (ImageFormat.svg, 40, 40, PixelSize(width: 80, height: 40)), (.png, 40, 40, PixelSize(width: 20, height: 10)),
    (.png, 5, 5, PixelSize(width: 10, height: 5)), (.svg, 5, 5, PixelSize(width: 10, height: 5)),
  ])
  func `a drawing is drawn at the size that a crop around attention needs`(
    format: ImageFormat, width: Int, height: Int, size: PixelSize
  ) throws {
    var rendition = Rendition(size: .fill(width: width, height: height, anchor: .smart))
    let file = Renderer.File(Data(), by: RecordingDecoder(format))
    #expect(try renderer([]).smartCrop(of: file, &rendition) != nil)
    #expect(rendition.size.size(for: PixelSize(width: 20, height: 10)) == size)
  }

  /// A black image of 20 by 10 pixels, with red in some columns.
  private static func red(_ columns: Range<Int>) throws -> Bitmap {
    try Bitmap(size: PixelSize(width: 20, height: 10), isOpaque: true) { bytes in
      for index in bytes.indices {
        bytes[index] = index % 4 == 3 || index % 4 == 0 && columns.contains(index / 4 % 20) ? 255 : 0
      }
    }
  }

  @Test(arguments: [1, 2]) func `the frames of an animation are cropped where the first one is`(_ frameCount: Int)
    throws
  {
    var rendition = Rendition(size: .fill(width: 5, height: 5, anchor: .smart))
    let file = Renderer.File(Data(), by: RecordingDecoder(frameCount: frameCount))
    let crop = try #require(try renderer([]).smartCrop(of: file, &rendition))
    let areas = try [Self.red(16..<20), Self.red(0..<4)].map { try #require(try crop.geometry(of: $0)?.resizing.area) }
    #expect(areas[0].left >= 8)
    #expect((areas[1] == areas[0]) == (frameCount == 2))
  }
}
