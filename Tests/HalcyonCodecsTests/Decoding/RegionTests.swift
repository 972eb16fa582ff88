import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs
@testable import HalcyonImaging

/// Regions of every format, in every orientation, at odd places and sizes.
@Suite(.integrationTest)
struct RegionTests {
  private static let jpegs: [String] =
    Fixture.jpegNames + [
      "jpeg/peacock.default-restarts.jpeg", "jpeg/peacock.default-progressive.jpeg",
      "jpeg/peacock.s2x1-422-progressive-restarts.jpeg", "jpeg/peacock.default-scans.jpeg",
    ]
  private static let files: [String] =
    FormatFixture.stills + FormatFixture.animations + TraitFixture.names + jpegs + jpegs.map { "large " + $0 }
    + ["jpeg/peacock.png", "pngsuite/basi6a08.png", "pngsuite/basn3p02.png"]

  /// libjpeg decodes small files, so those that are called large have a comment.
  private static func open(_ name: String) throws -> (file: Data, decoder: any ImageDecoder) {
    let (path, isLarge) = (name.replacing("large ", with: ""), name.hasPrefix("large "))
    let file = try FormatFixture.data(path)
    return (isLarge ? FileSurgery.large(jpeg: file) : file, try FormatFixture.decoder(path))
  }

  /// Regions of an image: its corners, a column, a row, all of it, and odd parts.
  private static func regions(of size: PixelSize) -> [PixelArea] {
    let (width, height) = (size.width, size.height)
    let odd = (1..<7).map { index in
      let part = PixelSize(width: 1 + index * 37 % width, height: 1 + index * 53 % height)
      return PixelArea(
        left: index * 29 % (width - part.width + 1), top: index * 41 % (height - part.height + 1), size: part)
    }
    return odd + [
      PixelArea(size: size), PixelArea(size: PixelSize(width: 1, height: 1)),
      PixelArea(left: width - 1, top: height - 1, width: 1, height: 1),
      PixelArea(left: width / 3, top: 0, width: 1, height: height),
      PixelArea(left: 0, top: height / 3, width: width, height: 1),
      // From a corner of an MCU, whose first pixels depend on the one before.
      PixelArea(
        left: width / 2 & ~15, top: height / 2 & ~15, size: PixelSize(width: 1 + width / 5, height: 1 + height / 5)),
    ]
  }

  @Test(arguments: files)
  func `a region is the crop of the whole`(_ name: String) throws {
    let (file, decoder) = try Self.open(name)
    try expectCrops(of: file, by: decoder)
  }

  @Test(arguments: ImageOrientation.allCases)
  func `a region is a rectangle of the upright image`(_ orientation: ImageOrientation) throws {
    let photo = try PNGDecoder().decode(Fixture.data(Fixture.photo), options: DecodingOptions()).bitmap
    let jpeg = try JPEGEncoder().encode(photo, options: EncodingOptions(quality: 0.8))
    let png = try PNGEncoder().encode(photo, options: EncodingOptions())
    try expectCrops(of: FileSurgery.jpeg(jpeg, orientation: orientation.rawValue), by: JPEGDecoder())
    try expectCrops(
      of: FileSurgery.png(png, inserting: "eXIf", FileSurgery.exif(orientation: orientation.rawValue)),
      by: PNGDecoder())
  }

  private func expectCrops(of file: Data, by decoder: any ImageDecoder) throws {
    let whole = try decoder.decode(file, options: DecodingOptions())
    for region in Self.regions(of: whole.size) {
      let image = try decoder.decode(file, options: DecodingOptions(region: region))
      #expect(image.size == region.size && image.info == whole.info && !image.isPartial, "\(region)")
      #expect(image.bitmap.isOpaque == whole.bitmap.isOpaque)
      let crop = try whole.bitmap.with(BitmapGeometry(region))
      // Errors of rounding are diffused over the samples of AVIF and HEIC, before colours are converted.
      if [.avif, .heic].contains(whole.info.format) {
        #expect(image.bitmap.meanDifference(to: crop) <= 0.5, "\(region)")
      } else {
        #expect(image.bitmap.largestDifference(to: crop) == 0, "\(region)")
      }
    }
  }

  @Test(arguments: files, [2, 3, 5, 9])
  func `regions at a smaller size are the crops of the whole at that size`(_ name: String, _ reduction: Int) throws {
    let (file, decoder) = try Self.open(name)
    let source = try #require(try decoder.probe(file, isComplete: true)).pixelSize
    let small = PixelSize(width: source.width / reduction, height: source.height / reduction)
    guard small.width > 0, small.height > 0 else { return }
    func decode(_ area: PixelArea) throws -> Bitmap {
      let region = PixelArea(
        left: area.left * reduction, top: area.top * reduction, width: area.width * reduction,
        height: area.height * reduction)
      let size = TargetSize.exact(width: area.width, height: area.height)
      return try decoder.decode(file, options: DecodingOptions(size: size, region: region)).bitmap
    }
    let whole = try decode(PixelArea(size: small))
    for area in Self.regions(of: small) {
      // Errors of rounding are diffused to the next pixels, which one alone has not.
      let bound = area.size.pixelCount == 1 ? 6.0 : 1
      #expect(try decode(area).meanDifference(to: whole.with(BitmapGeometry(area))) <= bound, "\(area)")
    }
  }

  #if !IMAGEIO
  @Test(arguments: [
    "jpeg/peacock.default.jpeg", "jpeg/peacock.default-restarts.jpeg", "large jpeg/peacock.default-restarts.jpeg",
    "jpeg/peacock.png", "noise.jpeg", "lossy.webp", "lossless.webp",
  ])
  func `what is cut counts for a part of the whole, and not for a region before it`(_ name: String) throws {
    let noise = try Bitmap.noise(120, 1600)
    let (file, decoder): (Data, any ImageDecoder) =
      switch name {
      case "noise.jpeg": (try JPEGEncoder().encode(noise, options: EncodingOptions(quality: 0.9)), JPEGDecoder())
      case "lossy.webp": (try WebPEncoder().encode(noise, options: EncodingOptions(quality: 0.9)), WebPDecoder())
      case "lossless.webp": (try WebPEncoder().encode(noise, options: EncodingOptions(isLossless: true)), WebPDecoder())
      default: try Self.open(name)
      }
    let whole = try decoder.decode(file, options: DecodingOptions()).size
    let cut = file.dropLast((file.count - (name.hasPrefix("large ") ? FileSurgery.largeByteCount : 0)) / 10)
    let part = PixelSize(width: whole.width / 2, height: 4)
    // To resample, some rows more are read.
    let sizes = [TargetSize.original, .exact(width: part.width / 2, height: 2)].prefix(whole.height < 400 ? 1 : 2)
    for (left, size) in [0, 8].flatMap({ left in sizes.map { (left, $0) } }) {
      let options = DecodingOptions(size: size, region: PixelArea(left: left, top: 4, size: part))
      let expected = try decoder.decode(file, options: options).bitmap
      #expect(throws: Never.self, "\(size)") {
        let found = try decoder.decode(cut, options: options).bitmap
        #expect(found.largestDifference(to: expected) == 0)
      }
    }
    let format = try #require(ImageFormat(sniffing: file))
    for size in [sizes[0], .fill(width: whole.width / 8, height: 2), .fill(width: whole.width, height: 2)] {
      #expect(throws: ImageDecodingError.truncated(format), "\(size)") {
        try decoder.decode(cut, options: DecodingOptions(size: size))
      }
    }
  }

  @Test(arguments: [2, 3, 6, 9], [false, true])
  func `a region of all is the whole at a smaller size`(_ reduction: Int, _ isLossless: Bool) throws {
    let photo = try Bitmap.gradient(180, 126)
    let file = try WebPEncoder().encode(photo, options: EncodingOptions(quality: 0.9, isLossless: isLossless))
    let size = TargetSize.exact(width: 180 / reduction, height: 126 / reduction)
    let whole = try WebPDecoder().decode(file, options: DecodingOptions(size: size)).bitmap
    let region = try WebPDecoder().decode(
      file, options: DecodingOptions(size: size, region: PixelArea(size: photo.size))
    ).bitmap
    #expect(region.meanDifference(to: whole) <= 1)
  }
  #endif

  @Test func `a size applies to a region as if it were the whole image`() throws {
    let file = try Fixture.data("jpeg/peacock.default.jpeg")
    let region = PixelArea(left: 10, top: 20, width: 60, height: 40)
    for (size, expected) in [
      (.original, (60, 40)), (.fit(width: 30, height: 30), (30, 20)), (.fill(width: 20, height: 20), (20, 20)),
      (.exact(width: 90, height: 10), (90, 10)), (.fit(width: 600, height: 600), (60, 40)),
    ] as [(TargetSize, (Int, Int))] {
      let image = try JPEGDecoder().decode(file, options: DecodingOptions(size: size, region: region))
      #expect(image.size == PixelSize(width: expected.0, height: expected.1))
      let options = DecodingOptions(size: size, region: region)
      #expect(try options.outputSize(for: image.info.pixelSize) == image.size)
    }
  }

  @Test(arguments: [
    PixelArea(left: -1, top: 0, width: 5, height: 5), PixelArea(left: 0, top: 0, width: 0, height: 5),
    PixelArea(left: 0, top: 0, width: 5, height: -5), PixelArea(left: 0, top: 30, width: 5, height: 3),
    PixelArea(left: 30, top: 0, width: 3, height: 5),
    PixelArea(left: .max, top: 0, width: 1, height: 1), PixelArea(left: 1, top: 1, width: .max, height: .max),
    PixelArea(left: .min, top: .min, width: 1, height: 1),
  ])
  func `a region outside the image is an error that names both`(_ region: PixelArea) throws {
    let file = try PNGEncoder().encode(Bitmap.gradient(32, 32), options: EncodingOptions())
    let expected = ImageDecodingError.invalidRegion(region, of: PixelSize(width: 32, height: 32))
    #expect(throws: expected) { try PNGDecoder().decode(file, options: DecodingOptions(region: region)) }
    #expect(throws: expected) { try DecodedImage(data: file, region: region) }
    #expect(expected.description.contains("\(region)") && expected.description.contains("32x32"))
  }

  #if !IMAGEIO
  @Test(arguments: ["uhdr-quarter.jpeg", "uhdr-whole.jpeg", "xmp-half.jpeg", "gain-map-iso.heic", "gain-map-iso.avif"])
  func `a region of high dynamic range has the light of the whole`(_ name: String) throws {
    let file = try Fixture.data("hdr/\(name)")
    guard let decoder = try? StandardCodecs.decoder(of: file) else { return }
    var options = DecodingOptions()
    options.dynamicRange = .high
    let whole = try decoder.decode(file, options: options).bitmap
    try #require(whole.dynamicRange == .high)
    for region in Self.regions(of: whole.size) {
      options.region = region
      let image = try decoder.decode(file, options: options)
      #expect(image.bitmap.dynamicRange == .high && image.size == region.size)
      // Other formats round samples, and apply the map to them, in parts of their own.
      let bound: Float = name.hasSuffix("jpeg") ? 0.001 : 0.25
      #expect(try image.bitmap.meanStops(to: whole.with(BitmapGeometry(region))) < bound, "\(region)")
    }
  }

  /// A grey file of two bits a block: all blocks before number `brightFrom` are 128, the others 136.
  private func greyFile(_ size: PixelSize, brightFrom first: Int) -> Data {
    let blockCount = (size.width + 7) / 8 * ((size.height + 7) / 8)
    var bits = [UInt8](repeating: 0, count: blockCount * 2 / 8 + 1)
    // The code 10 of a difference of four bits, 1000, instead of the code 0 of no difference.
    for bit in [first * 2, first * 2 + 2] { bits[bit / 8] |= 0x80 >> UInt8(bit % 8) }
    return FileSurgery.greyJPEG(size, scan: Data(bits))
  }

  @Test func `a region of a photo of 200 megapixels is within the default limits`() throws {
    let (size, block) = (PixelSize(width: 16_320, height: 12_240), (column: 1500, row: 1100))
    let file = greyFile(size, brightFrom: block.row * size.width / 8 + block.column)
    #expect(throws: ImageDecodingError.tooManyPixels(size, limit: 100_000_000)) { try DecodedImage(data: file) }
    let region = PixelArea(left: block.column * 8 - 4, top: block.row * 8 - 4, width: 16, height: 16)
    for reduction in [1, 2, 4] {
      let image = try DecodedImage(
        data: file, size: .exact(width: 16 / reduction, height: 16 / reduction), region: region)
      let end = image.size.width - 1
      for (column, row, level) in [(0, 0, 128), (end, 0, 128), (0, end, 136), (end, end, 136)] {
        #expect(abs(image.bitmap.color(column, row).x - level) <= (reduction == 1 ? 0 : 2))
      }
    }
    let far = PixelArea(left: size.width - 3, top: size.height - 5, width: 3, height: 5)
    #expect(try DecodedImage(data: file, region: far).bitmap.color(2, 4) == Color(136, 136, 136, 255))
  }

  /// Counts what is read of a source.
  private final class CountingRows: RowSource {
    let size: PixelSize
    let isOpaque = true
    private(set) var (readCount, skipCount, hasFinished) = (0, 0, false)

    init(_ size: PixelSize) { self.size = size }

    func skipRows(_ count: Int) { skipCount += count }

    func readRow(into row: UnsafeMutablePointer<UInt8>) {
      row.update(repeating: 255, count: size.width * 4)
      readCount += 1
    }

    func finish() { hasFinished = true }
  }

  @Test(arguments: [(2000, 60), (1000, 30), (700, 41), (300, 4), (40, 1200)])
  func `a part is read once, in the rows that the result needs`(width: Int, height: Int) throws {
    let size = PixelSize(width: 4000, height: 1500)
    let target = TargetSize.fill(width: width, height: height)
    let region = PixelArea(left: 100, top: 700, width: 3000, height: 120)
    for options in [DecodingOptions(size: target), DecodingOptions(size: target, region: region)] {
      let plan = try DecodingPlan(info: ImageInfo(format: .bmp, storedSize: size), options: options)
      var sources: [CountingRows] = []
      let bitmap = try plan.bitmap(isOpaque: true, graphs: ResampleGraphCache(), isCancelled: { false }) {
        sources.append(CountingRows(size))
        return sources[sources.count - 1]
      }
      #expect(bitmap.color(0, 0) == Color(255, 255, 255, 255))
      try #require(sources.count == 1)
      let (window, rows) = (plan.geometry.window, sources[0])
      #expect(Double(rows.readCount) <= window.height * 3 + 64)
      #expect(rows.hasFinished == (options.region == nil))
      #expect(rows.readCount + rows.skipCount <= size.height)
      if options.region == nil { #expect(rows.readCount + rows.skipCount == size.height) }
    }
  }
  #endif
}

extension Bitmap {
  /// The mean difference of a channel.
  fileprivate func meanDifference(to other: Bitmap) -> Double {
    guard size == other.size else { return .infinity }
    let total = withUnsafeBytes { mine in
      other.withUnsafeBytes { theirs in zip(mine, theirs).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) } }
    }
    return Double(total) / Double(size.pixelCount * 4)
  }
}
