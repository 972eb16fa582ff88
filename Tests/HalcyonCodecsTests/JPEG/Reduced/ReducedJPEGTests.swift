#if !IMAGEIO
import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.integrationTest)
struct ReducedJPEGTests {
  private static let names = [
    "default", "default-restarts", "progressive", "grayscale", "s1x1-444", "s2x1-422", "made-440",
    "default-progressive", "s1x1-444-progressive", "s2x1-422-progressive", "s2x1-422-progressive-restarts",
    "made-440-progressive",
  ]
  /// Each pair of files has the same coefficients, baseline and progressive.
  private static let pairs = [
    ("default", "default-progressive"), ("s1x1-444", "s1x1-444-progressive"), ("s2x1-422", "s2x1-422-progressive"),
    ("s2x1-422", "s2x1-422-progressive-restarts"), ("made-440", "made-440-progressive"),
  ]
  private static let sizes = [(1, 1), (2, 1), (7, 5), (8, 8), (17, 33), (65, 3), (15, 16), (129, 127), (333, 9)]

  @Test(arguments: names)
  func `at 1/8, every sample is that of libjpeg`(_ name: String) throws {
    let file = try Fixture.data("jpeg/peacock.\(name).jpeg")
    #expect(try ReducedPlanes.own(file, scale: .eighth) == ReducedPlanes.libjpeg(file, scale: .eighth))
  }

  @Test(arguments: sizes, [0.01, 0.3, 0.89, 0.9, 1])
  func `files of every size and quality have the samples of libjpeg at 1/8`(
    _ size: (width: Int, height: Int), _ quality: Double
  ) throws {
    for isProgressive in [false, true] {
      for bitmap in [try Bitmap.noise(size.width, size.height), try Bitmap.gradient(size.width, size.height)] {
        let file = try JPEGEncoder(isProgressive: isProgressive)
          .encode(bitmap, options: EncodingOptions(quality: quality))
        #expect(try ReducedPlanes.own(file, scale: .eighth) == ReducedPlanes.libjpeg(file, scale: .eighth))
        // At the other scales, the samples of a block of one colour are the same.
        for scale in [JPEGScale.quarter, .half] {
          let (own, libjpeg) = try (ReducedPlanes.own(file, scale: scale), ReducedPlanes.libjpeg(file, scale: scale))
          #expect(own?.planes.map(\.size) == libjpeg.planes.map(\.size))
        }
      }
    }
  }

  @Test(arguments: names.filter { !$0.contains("progressive") } + ["made-410"], [JPEGScale.quarter, .half])
  func `at 1/4 and 1/2, samples are within two levels of a transform in double precision`(
    _ name: String, _ scale: JPEGScale
  ) throws {
    let file = try Fixture.data("jpeg/peacock.\(name).jpeg")
    guard name != "made-410" || scale == .quarter else { return }
    let own = try #require(try ReducedPlanes.own(file, scale: scale))
    let full = try ReducedPlanes.libjpeg(file, scale: .full)
    for (plane, whole) in zip(own.planes, full.planes) {
      // Where chroma is subsampled by four, it is decoded at twice the scale.
      let side = name == "made-410" && whole.size != full.planes[0].size ? 4 : Int(scale.rawValue)
      let expected = whole.reduced(side: side)
      for row in 0..<expected.size.height {
        for column in 0..<expected.size.width {
          // A level, and one for the rounding of the full decode.
          #expect(abs(Int(plane[column, row]) - Int(expected[column, row])) <= 2)
        }
      }
    }
  }

  @Test(arguments: pairs, [JPEGScale.eighth, .quarter, .half])
  func `a progressive file has the samples of the baseline file with its coefficients`(
    _ pair: (baseline: String, progressive: String), _ scale: JPEGScale
  ) throws {
    for step: UInt8? in [nil, 1, 5, 6, 16] {
      func planes(_ name: String) throws -> ReducedPlanes {
        let file = try Fixture.data("jpeg/peacock.\(name).jpeg")
        return try #require(try ReducedPlanes.own(step.map { try file.quantised(inStepsOf: $0) } ?? file, scale: scale))
      }
      let difference = try planes(pair.progressive).difference(to: planes(pair.baseline))
      // The scans that are left out have the last bits of some coefficients.
      guard let step else {
        #expect(difference <= (scale == .eighth ? 0 : 12))
        continue
      }
      #expect((difference == 0) == (scale == .eighth || scale == .half && step > 5), "\(difference), steps of \(step)")
    }
  }

  @Test(
    arguments: ["default-scans", "made-411", "s-weird", "s-very-weird", "s1x3", "made-cmyk"],
    [JPEGScale.eighth, .quarter, .half, .full])
  func `unusual files are left to libjpeg`(_ name: String, _ scale: JPEGScale) throws {
    #expect(try ReducedPlanes.own(Fixture.data("jpeg/peacock.\(name).jpeg"), scale: scale) == nil)
  }

  @Test(arguments: names.filter { $0.contains("progressive") }, [1, 2, 3])
  func `a quantisation table between two scans is that of components whose first scan follows`(
    _ name: String, _ scan: Int
  ) throws {
    var file = try Fixture.data("jpeg/peacock.\(name).jpeg")
    var place = file.startIndex
    for _ in 0...scan {
      place = try #require(file.range(of: Data([0xFF, 0xDA]), in: place..<file.endIndex)).upperBound
    }
    let tables = (UInt8(0)...1).map { [$0] + [UInt8](repeating: 40, count: 64) }
    file.insert(contentsOf: [0xFF, 0xDB, 0, 132] + tables.joined(), at: place - 2)
    #expect(try ReducedPlanes.own(file, scale: .eighth) == ReducedPlanes.libjpeg(file, scale: .eighth))
  }

  /// The quantisation of three components, and their Huffman tables for DC and AC: the same, or others.
  private static let tables: [([Int], [Int], [Int])] = [
    ([0, 0, 0], [0, 0, 0], [0, 0, 0]), ([0, 1, 2], [0, 0, 0], [0, 0, 0]), ([0, 0, 0], [0, 1, 2], [2, 1, 0]),
    ([3, 2, 3], [1, 1, 0], [0, 1, 1]), ([0, 1, 2], [0, 1, 1], [0, 1, 1]), ([1, 1, 0], [0, 0, 0], [0, 0, 1]),
    ([1, 1, 0], [0, 1, 0], [1, 1, 1]),
  ]

  /// The sampling factors of luma. If they are 4 by 2, chroma has blocks of two samples a side where luma has single ones,
  /// which libjpeg computes from more coefficients.
  @Test(arguments: tables.indices, [(2, 2), (1, 1), (4, 2)])
  func `components share tables, or have their own`(_ index: Int, _ sampling: (Int, Int)) throws {
    var sample = JPEGSample(sampling: [sampling, (1, 1), (1, 1)])
    (sample.steps, sample.differences, sample.coefficients) = Self.tables[index]
    let own = try #require(try ReducedPlanes.own(sample.file, scale: .eighth))
    let libjpeg = try ReducedPlanes.libjpeg(sample.file, scale: .eighth)
    #expect(own.planes[0] == libjpeg.planes[0])
    #expect(own.difference(to: libjpeg) <= (sampling.0 == 4 ? 8 : 0))
    // The same coefficients with Huffman tables of their own.
    (sample.differences, sample.coefficients) = ([0, 1, 2], [0, 1, 2])
    #expect(try ReducedPlanes.own(sample.file, scale: .eighth) == own)
  }

  @Test func `a progressive file has at most a hundred scans`() throws {
    let sample = JPEGSample()
    let most = sample.progressiveFile(scanCount: 100)
    #expect(try ReducedPlanes.own(most, scale: .eighth) == ReducedPlanes.libjpeg(most, scale: .eighth))
    #expect(try ReducedPlanes.own(sample.progressiveFile(scanCount: 101), scale: .eighth) == nil)
    #expect(throws: ImageDecodingError.self) {
      try JPEGDecoder().decode(sample.progressiveFile(scanCount: 101), options: DecodingOptions())
    }
  }

  @Test(arguments: ["default", "default-progressive", "default-restarts"])
  func `a truncated file is left to libjpeg, save one that lacks only its end`(_ name: String) throws {
    let file = try Fixture.data("jpeg/peacock.\(name).jpeg")
    let scan = try #require(file.firstRange(of: Data([0xFF, 0xDA]))).lowerBound + 20
    for count in scan..<file.count {
      let own = try ReducedPlanes.own(file.prefix(count), scale: .eighth)
      let lacksOnlyItsEnd = count >= file.count - 2 && name != "default-progressive"
      #expect((own != nil) == lacksOnlyItsEnd, "\(count) of \(file.count) bytes")
    }
  }

  @Test(arguments: ["default", "default-restarts", "grayscale", "default-progressive"])
  func `a damaged file has the samples of libjpeg, or is left to it`(_ name: String) throws {
    let file = try Fixture.data("jpeg/peacock.\(name).jpeg")
    var ownCount = 0
    for position in 2..<file.count {
      for flip: UInt8 in [0xFF, 1 << UInt8(position & 7)] {
        var damaged = file
        damaged[position] ^= flip
        // libjpeg also reads the scans that are not needed.
        guard let own = try? ReducedPlanes.own(damaged, scale: .eighth),
          let libjpeg = try? ReducedPlanes.libjpeg(damaged, scale: .eighth)
        else { continue }
        ownCount += 1
        #expect(own == libjpeg, "byte \(position)")
        for scale in [JPEGScale.quarter, .half] { _ = try? ReducedPlanes.own(damaged, scale: scale) }
      }
    }
    #expect(ownCount > 0)
  }

  @Test(arguments: [false, true])
  func `reading stops when it is cancelled`(_ isProgressive: Bool) throws {
    let file = try JPEGEncoder(isProgressive: isProgressive).encode(.noise(64, 64), options: EncodingOptions())
    #expect(throws: ImageDecodingError.cancelled) {
      try ReducedPlanes.own(file, scale: .eighth, isCancelled: { true })
    }
  }

  @Test func `a scan whose components are in another order than those of the picture is left to libjpeg`() throws {
    for name in ["default-progressive", "s2x1-422-progressive"] {
      var file = try Fixture.data("jpeg/peacock.\(name).jpeg")
      let scan = try #require(file.firstRange(of: Data([0xFF, 0xDA, 0, 12, 3]))).upperBound
      let (second, third) = (file[scan + 2..<scan + 4], file[scan + 4..<scan + 6])
      file.replaceSubrange(scan + 2..<scan + 6, with: third + second)
      #expect(try ReducedPlanes.own(file, scale: .eighth) == nil)
    }
  }

  @Test func `sides that libjpeg refuses are refused`() throws {
    var file = try Fixture.data("jpeg/peacock.default-progressive.jpeg")
    let frame = try #require(file.firstRange(of: Data([0xFF, 0xC2]))).lowerBound
    file.replaceSubrange(frame + 5..<frame + 9, with: [0xFF, 0xFF, 0xFF, 0xFF])
    #expect(try ReducedPlanes.own(file, scale: .eighth) == nil)
  }
}

/// Files that are large enough to be decoded by Halcyon's own decoder.
@Suite(.integrationTest)
struct ReducedJPEGDecodingTests {
  private static let options = DecodingOptions(size: .fit(width: 30, height: 30))

  private static func file(isProgressive: Bool = false) throws -> Data {
    try JPEGEncoder(isProgressive: isProgressive).encode(.noise(480, 480), options: EncodingOptions(quality: 0.5))
  }

  /// The image that libjpeg decodes.
  private static func expected(_ file: Data) throws -> (bitmap: Bitmap, isDamaged: Bool) {
    try file.withUnsafeBytes { bytes in
      let size = PixelSize(width: 480, height: 480)
      let file = JPEGFile(
        bytes: bytes, size: size, cmykTransform: nil, truncation: PartialImagePolicy(isAccepted: false),
        isCancelled: { false })
      let geometry = TargetSize.fit(width: 30, height: 30).geometry(for: size).scaled(by: 1 / 8)
      let bitmap = try Resampler(format: .jpeg, geometry: geometry, graphs: ResampleGraphCache())
        .bitmap(isOpaque: true) { try file.planes(file.whole(.eighth)) }
      return (bitmap, file.truncation.isDamaged)
    }
  }

  @Test(arguments: [false, true])
  func `an image is the same as by libjpeg`(_ isProgressive: Bool) throws {
    let file = try Self.file(isProgressive: isProgressive)
    let image = try JPEGDecoder().decode(file, options: Self.options)
    #expect(try image.bitmap.largestDifference(to: Self.expected(file).bitmap) == 0 && !image.isDamaged)
  }

  @Test(arguments: 1...40)
  func `a damaged file gives the image of libjpeg`(_ part: Int) throws {
    var file = try Self.file()
    // A marker in the data, a byte that is different, and one that is missing.
    let position = file.count * part / 41
    switch part % 3 {
    case 0: file.replaceSubrange(position..<position + 2, with: [0xFF, 0xD3])
    case 1: file[position] ^= 0x55
    default: file.remove(at: position)
    }
    let expected = Result { try Self.expected(file) }
    let image = Result { try JPEGDecoder().decode(file, options: Self.options) }
    switch (expected, image) {
    case (.success(let expected), .success(let image)):
      #expect(image.bitmap.largestDifference(to: expected.bitmap) == 0 && image.isDamaged == expected.isDamaged)
    case (.failure(let expected as ImageDecodingError), .failure(let image as ImageDecodingError)):
      #expect(image == expected)
    default: Issue.record("libjpeg: \(expected), Halcyon: \(image)")
    }
  }

  @Test(arguments: [(480, 480, true), (481, 480, false), (480, 479, false), (480, 960, false)])
  func `libjpeg reads the frame of the size that is known`(_ width: Int, _ height: Int, _ isRead: Bool) throws {
    func read(_ file: Data) throws {
      try file.withUnsafeBytes { bytes in
        let size = PixelSize(width: width, height: height)
        let reader = try JPEGReader(bytes, size: size, truncation: PartialImagePolicy(isAccepted: false))
        _ = try reader.readHeader()
      }
    }
    if isRead { return try read(Self.file()) }
    let error = ImageDecodingError.corrupt(.jpeg, reason: "it has two frame headers")
    #expect(throws: error) { try read(Self.file()) }
  }

  @Test func `a truncated file is an error, or the rows that it has`() throws {
    let file = try Self.file()
    let cut = file.prefix(file.count / 2)
    #expect(throws: ImageDecodingError.truncated(.jpeg)) { try JPEGDecoder().decode(cut, options: Self.options) }
    let whole = try JPEGDecoder().decode(file, options: Self.options).bitmap
    let image = try JPEGDecoder().decode(
      cut, options: DecodingOptions(size: .fit(width: 30, height: 30), allowsPartialImage: true))
    #expect(image.isPartial)
    #expect(try image.bitmap.rows(from: 0, count: 10).largestDifference(to: whole.rows(from: 0, count: 10)) == 0)
  }
}

extension Bitmap {
  /// Opaque noise around a gradient, always the same.
  static func noise(_ width: Int, _ height: Int) throws -> Bitmap {
    var state: UInt32 = 1
    return try Bitmap(size: PixelSize(width: width, height: height), isOpaque: true) { pixels in
      for index in pixels.indices {
        state = state &* 1_664_525 &+ 1_013_904_223
        pixels[index] = index % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: state >> 25) &+ UInt8(index / 4 % width % 128)
      }
    }
  }
}

extension Data {
  /// A JPEG file with all steps of its quantisation tables replaced.
  fileprivate func quantised(inStepsOf step: UInt8) throws -> Data {
    var file = self
    let tables = try withUnsafeBytes { buffer in
      var segments = try #require(JPEGSegments(buffer))
      var ranges: [Range<Int>] = []
      while let segment = segments.next() { if segment.marker == 0xDB { ranges.append(segment.range) } }
      return ranges
    }
    for table in tables {
      for start in stride(from: table.lowerBound + 4, to: table.upperBound, by: 65) {
        file.replaceSubrange(start + 1..<start + 65, with: repeatElement(step, count: 64))
      }
    }
    return file
  }
}
#endif
