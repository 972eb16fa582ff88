import HalcyonTestSupport
import Foundation
@testable import HalcyonCodecs
import HalcyonImaging
import HalcyonTestTraits
import Testing

/// Files that are damaged in their pixels, decoded as far as possible.
@Suite(.integrationTest)
struct DamagedPixelTests {
  enum Damage: CaseIterable {
    case cut, flippedByte, zeros
  }

  /// How the rows of a file are stored.
  enum Order {
    case topDown, bottomUp, interlaced
  }

  struct Sample: CustomTestStringConvertible {
    let name: String
    let order: Order
    let file: Data
    /// The largest difference of a smaller part to a smaller whole image, which WebP resamples in other planes.
    var scaledDifference = 3

    var testDescription: String { name }

    func decoder() throws -> any ImageDecoder { try StandardCodecs.decoder(of: file) }

    /// The file with damage at a part of its pixels, which are most of its bytes.
    func damaged(_ damage: Damage, at part: Double) -> Data {
      let position = Int(Double(file.count) * part)
      var file = file
      switch damage {
      case .cut: return file.prefix(position)
      case .flippedByte: file[position] ^= 0xA5
      case .zeros:
        let count = min(40, file.count - position)
        file.replaceSubrange(position..<position + count, with: Data(count: count))
      }
      return file
    }
  }

  /// Noise, so that each row takes as many bytes.
  private static func noise(_ width: Int, _ height: Int, isOpaque: Bool) throws -> Bitmap {
    var random = SplitMix(state: 7)
    return try Bitmap.painted(width, height, isOpaque: isOpaque) { _, _ in
      let alpha = isOpaque ? 255 : 128
      return Color(Int.random(in: 0...alpha, using: &random), Int.random(in: 0...alpha, using: &random), 9, alpha)
    }
  }

  private static let samples: [Sample] = {
    func encoded(
      _ encoder: any ImageEncoder, isOpaque: Bool = true, isLossless: Bool = false, side: Int = 80
    ) -> Data {
      let options = EncodingOptions(isLossless: isLossless)
      return (try? encoder.encode(noise(side, side, isOpaque: isOpaque), options: options)) ?? Data()
    }
    func fixture(_ name: String, _ order: Order = .topDown) -> Sample {
      Sample(name: name, order: order, file: (try? Fixture.data(name)) ?? Data())
    }
    #if IMAGEIO
    let webP: [Sample] = []
    #else
    let webP = [
      Sample(name: "WebP", order: .topDown, file: encoded(WebPEncoder()), scaledDifference: 32),
      Sample(
        name: "lossless WebP", order: .topDown, file: encoded(WebPEncoder(), isLossless: true), scaledDifference: 32),
      Sample(
        name: "WebP with alpha", order: .topDown, file: encoded(WebPEncoder(), isOpaque: false), scaledDifference: 32),
    ]
    #endif
    return webP + [
      Sample(name: "small PNG", order: .topDown, file: encoded(PNGEncoder())),
      Sample(name: "large PNG", order: .topDown, file: encoded(PNGEncoder(), side: 200)),
      Sample(name: "PNG with alpha", order: .topDown, file: encoded(PNGEncoder(), isOpaque: false)),
      Sample(name: "GIF", order: .topDown, file: encoded(GIFEncoder())),
      fixture("pngsuite/basi6a08.png", .interlaced), fixture("formats/interlaced.gif", .interlaced),
      fixture("formats/rgb24.bmp", .bottomUp), fixture("formats/rgba32.bmp"),
      fixture("formats/pal8.bmp", .bottomUp), fixture("formats/rle8.bmp", .bottomUp),
    ]
  }()

  @Test(arguments: samples, Damage.allCases)
  func `the rows before the damage are those of the sound image`(_ sample: Sample, _ damage: Damage) throws {
    let whole = try sample.decoder().decode(sample.file, options: DecodingOptions()).bitmap
    let (width, height) = (whole.size.width, whole.size.height)
    for part in [0.4, 0.65, 0.8, 0.95] {
      let file = sample.damaged(damage, at: part)
      let options = DecodingOptions(allowsPartialImage: true)
      let image = try sample.decoder().decode(file, options: options)
      try #require(image.size == whole.size)
      let isSame = (0..<height).map { row in
        (0..<width).allSatisfy { image.bitmap.color($0, row) == whole.color($0, row) }
      }
      // The chunks and tables around the pixels take some bytes.
      let expected = Int(Double(height) * (part - 0.3)) - 1
      switch sample.order {
      case .topDown: #expect(isSame.prefix { $0 }.count >= expected, "\(part)")
      case .bottomUp: #expect(isSame.reversed().prefix { $0 }.count >= expected, "\(part)")
      case .interlaced where part > 0.6:
        // The last pass has every other row.
        #expect(stride(from: 0, to: height, by: 2).allSatisfy { isSame[$0] || part < 0.75 }, "\(part)")
      case .interlaced: break
      }
      #expect(!image.bitmap.isOpaque || image.bitmap.isFilled)
      do {
        // Not all damage can be noticed.
        let strict = try sample.decoder().decode(file, options: DecodingOptions())
        #expect(!image.isPartial && strict.bitmap.largestDifference(to: image.bitmap) == 0)
      } catch {
        #expect((error as? ImageDecodingError)?.isDamageOfFile == true && image.isPartial, "\(part): \(error)")
      }
    }
  }

  #if !IMAGEIO
  @Test(
    arguments: [
      "jpeg/peacock.default.jpeg", "jpeg/peacock.default-progressive.jpeg", "jpeg/peacock.default-restarts.jpeg",
      "jpeg/peacock.grayscale.jpeg",
    ], [TargetSize.original, .fit(width: 30, height: 30), .fit(width: 8, height: 8), .fill(width: 50, height: 4)])
  func `a damaged scan of JPEG is reported`(_ name: String, _ size: TargetSize) throws {
    let file = try Fixture.data(name)
    for file in [file, FileSurgery.large(jpeg: file)] { try expectDamage(in: file, name, size) }
  }

  @Test func `damage before a crop is that of the whole image, and not of a region`() throws {
    // Eight intervals of 200 blocks, of which the first has bits that are no code.
    var scan = Data()
    for number in 0..<8 as Range<UInt8> { scan += Data(count: 50) + (number < 7 ? [0xFF, 0xD0 + number] : []) }
    scan[10] = 0b1100_0000
    let small = FileSurgery.greyJPEG(PixelSize(width: 64, height: 1600), scan: scan, restartInterval: 200)
    for file in [small, FileSurgery.large(jpeg: small)] {
      func isDamaged(_ size: TargetSize, _ region: PixelArea? = nil) throws -> Bool {
        try JPEGDecoder().decode(file, options: DecodingOptions(size: size, region: region)).isDamaged
      }
      for size in [TargetSize.original, .fill(width: 64, height: 4), .fill(width: 8, height: 2)] {
        #expect(try isDamaged(size), "\(size)")
      }
      #expect(try isDamaged(.original, PixelArea(left: 0, top: 0, width: 64, height: 90)))
    }
    let region = PixelArea(left: 0, top: 900, width: 64, height: 90)
    let large = FileSurgery.large(jpeg: small)
    #expect(try !JPEGDecoder().decode(large, options: DecodingOptions(region: region)).isDamaged)
  }

  private func expectDamage(in file: Data, _ name: String, _ size: TargetSize) throws {
    let scan = try #require(file.firstRange(of: Data([0xFF, 0xDA]))).upperBound + 12
    let middle = scan + (file.count - scan) / 3
    func isDamaged(_ file: Data, partial: Bool = false) throws -> Bool {
      let image = try JPEGDecoder().decode(file, options: DecodingOptions(size: size, allowsPartialImage: partial))
      #expect(image.isPartial == partial)
      return image.isDamaged
    }
    #expect(try !isDamaged(file))
    // Only the end is missing, or more follows it; the file is cut.
    #expect(try !isDamaged(file.dropLast(2)) && !isDamaged(file + Data(count: 30)))
    #expect(try !isDamaged(file.prefix(middle), partial: true))
    // Bits that are no code, bytes that are missing or too many, and a marker.
    var changed: [Data] = Array(repeating: file, count: 4)
    changed[0].replaceSubrange(middle..<middle + 8, with: [0xFF, 0, 0xFF, 0, 0xFF, 0, 0xFF, 0])
    changed[1].removeSubrange(middle..<middle + 100)
    changed[2].insert(contentsOf: repeatElement(0x5A, count: 100), at: middle)
    changed[3].replaceSubrange(middle..<middle + 2, with: [0xFF, 0xD3])
    // At 1/8 the other scans of a progressive file are not read.
    guard !name.contains("progressive") || size == .original else { return }
    for (index, file) in changed.enumerated() { #expect(try isDamaged(file), "\(index)") }
  }
  #endif

  @Test(arguments: samples)
  func `a partial image has the colours of the whole one at a smaller size`(_ sample: Sample) throws {
    let size = TargetSize.fit(width: 12, height: 12)
    let whole = try sample.decoder().decode(sample.file, options: DecodingOptions(size: size)).bitmap
    let part = try sample.decoder().decode(
      sample.damaged(.cut, at: 0.9), options: DecodingOptions(size: size, allowsPartialImage: true))
    #expect(part.isPartial && part.size == whole.size && !part.bitmap.isOpaque)
    let row = sample.order == .bottomUp ? whole.size.height - 2 : 1
    for column in 0..<whole.size.width where sample.order != .interlaced {
      let distance = part.bitmap.color(column, row) &- whole.color(column, row)
      #expect((0..<4).allSatisfy { abs(distance[$0]) <= sample.scaledDifference })
    }
  }

  @Test(arguments: samples + FormatFixture.animations.map { Sample(name: $0, order: .topDown, file: fixture($0)) })
  func `any damage gives an image or a typed error`(_ sample: Sample) throws {
    var random = SplitMix(state: 11)
    let decoder = try sample.decoder()
    for round in 0..<60 {
      var file = sample.file
      for _ in 0...round % 4 {
        file[Int.random(in: 0..<file.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      }
      if round % 3 == 0 { file = file.prefix(Int.random(in: 0..<file.count, using: &random)) }
      let options = DecodingOptions(
        size: round % 2 == 0 ? .original : .fit(width: 7, height: 7), limits: ImageLimits(pixelCount: 1 << 20),
        allowsPartialImage: true)
      do {
        let image = try decoder.decode(file, options: options)
        #expect(!image.bitmap.isOpaque || image.bitmap.isFilled)
        guard let reader = try (decoder as? any AnimatedImageDecoder)?.frameReader(for: file, options: options) else {
          continue
        }
        while let frame = try reader.nextFrame() { #expect(!frame.bitmap.isOpaque || frame.bitmap.isFilled) }
      } catch {
        #expect(error is ImageDecodingError)
      }
    }
  }

  @Test func `damage before the first row is an error with the option, too`() throws {
    var png = try Fixture.data("jpeg/peacock.png")
    let data = try #require(png.firstRange(of: Data("IDAT".utf8))).upperBound
    png[data] ^= 0xFF
    #expect {
      try PNGDecoder().decode(png, options: DecodingOptions(allowsPartialImage: true))
    } throws: { ($0 as? ImageDecodingError)?.isDamageOfFile == true }
    let bmp = try FormatFixture.data("rgb24.bmp").prefix(60)
    #expect(throws: ImageDecodingError.truncated(.bmp)) {
      try BMPDecoder().decode(bmp, options: DecodingOptions(allowsPartialImage: true))
    }
  }

  @Test func `a row of run lengths is there at its last pixel, without the mark of its end`() throws {
    let file = try FormatFixture.data("rle8.bmp")
    let whole = try BMPDecoder().decode(file, options: DecodingOptions()).bitmap
    // The mark of the end of the second row from below.
    let end = 1284
    #expect(file[end] == 0 && file[end + 1] == 0)
    for (count, isThere) in [(end, true), (end - 2, false)] {
      let part = try BMPDecoder().decode(file.prefix(count), options: DecodingOptions(allowsPartialImage: true)).bitmap
      let row = whole.size.height - 2
      #expect((0..<whole.size.width).allSatisfy { part.color($0, row) == whole.color($0, row) } == isThere)
    }
  }

  @Test func `missing rows of an interlaced GIF image are like those above them`() throws {
    let file = try Fixture.data("formats/interlaced.gif")
    let options = DecodingOptions(allowsPartialImage: true)
    let whole = try GIFDecoder().decode(file, options: options).bitmap
    let part = try GIFDecoder().decode(file.prefix(file.count * 5 / 8), options: options).bitmap
    func row(_ bitmap: Bitmap, _ row: Int) -> [Color] { (0..<bitmap.size.width).map { bitmap.color($0, row) } }
    for index in 0..<whole.size.height where index % 8 > 0 {
      let known = [0, 1, 3, 7].map { row(whole, index & ~$0) }
      #expect(known.contains(row(part, index)), "\(index)")
    }
  }

  @Test func `a damaged interlaced image is previewed as far as its passes go`() throws {
    let file = try Fixture.data("pngsuite/basi6a08.png")
    let whole = try PNGDecoder().decode(file, options: DecodingOptions()).bitmap
    var damaged = file
    damaged[file.count * 4 / 5] ^= 0xA5
    let preview = try #require(try PNGDecoder().preview(damaged, after: 0, options: DecodingOptions()))
    #expect(preview.image.isPartial && preview.stage >= 1)
    for row in stride(from: 0, to: 32, by: 8) {
      for column in stride(from: 0, to: 32, by: 8) {
        #expect(preview.image.bitmap.color(column, row) == whole.color(column, row))
      }
    }
  }

  private static func fixture(_ name: String) -> Data { (try? FormatFixture.data(name)) ?? Data() }
}

extension ImageDecodingError {
  fileprivate var isDamageOfFile: Bool {
    switch self {
    case .corrupt, .truncated: true
    default: false
    }
  }
}

extension Bitmap {
  /// Whether every pixel is opaque.
  fileprivate var isFilled: Bool {
    withUnsafeBytes { bytes in stride(from: 3, to: bytes.count, by: 4).allSatisfy { bytes[$0] == 255 } }
  }
}
