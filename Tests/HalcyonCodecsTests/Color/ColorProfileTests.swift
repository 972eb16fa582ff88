import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct ColorProfileTests {
  /// Compared with Pillow's ImageCms, perceptual with black point compensation: see the README of the fixtures.
  @Test(arguments: [
    ("display-p3.png", "display-p3"), ("adobe-rgb.png", "adobe-rgb"), ("srgb.png", "srgb"), ("grey.png", "grey"),
    ("display-p3-alpha.png", "display-p3-alpha"), ("inks.jpeg", "inks"), ("display-p3.jpeg", "display-p3-jpeg"),
    ("display-p3.webp", "display-p3"), ("display-p3.tiff", "display-p3"), ("inks.tiff", "inks"),
  ])
  func `colours with an ICC profile match Pillow`(_ name: String, _ expected: String) throws {
    let image = try decode(name)
    let reference = try decode("\(expected).expected.png")
    #expect(image.info.hasColorProfile && !reference.info.hasColorProfile)
    #expect(image.info.droppedContent == [])
    // Low alpha leaves few bits of colour, and differences between dark P3 values grow in sRGB.
    #if IMAGEIO
    // The stand-in for ImageIO has no Adobe RGB: it converts it by way of Display P3.
    let limit = name == "adobe-rgb.png" ? 16 : name.contains("alpha") ? 4 : 2
    #else
    let limit = name.contains("alpha") ? 4 : 2
    #endif
    #expect(image.bitmap.largestDifference(to: reference.bitmap) <= limit)
  }

  @Test(arguments: ["display-p3.png", "adobe-rgb.png", "grey.png", "inks.jpeg", "display-p3.jpeg"])
  func `the fixtures decode differently without their profiles`(_ name: String) throws {
    let plain = try Fixture.data("color/\(name)")
    let stripped = name.hasSuffix("png") ? Self.renamed(plain, "iCCP", "icCP") : Self.renamed(plain, "ICC_", "XXX_")
    let difference = try decode(stripped).bitmap.largestDifference(to: decode(name).bitmap)
    #expect(difference > 10)
  }

  @Test(arguments: ["display-p3.png", "inks.jpeg", "display-p3.jpeg", "grey.png"], [12, 5])
  func `a smaller size has the same colours`(_ name: String, _ side: Int) throws {
    let small = try decode(Fixture.data("color/\(name)"), size: .fit(width: side, height: side)).bitmap
    let full = try decode(name).bitmap
    let geometry = TargetSize.fit(width: side, height: side).geometry(for: full.size)
    #expect(small.difference(toAveraged: full, geometry: geometry) < 6)
  }

  @Test(arguments: [
    "display-p3.png", "inks.jpeg", "display-p3.jpeg", "display-p3.webp", "display-p3.tiff", "inks.tiff",
  ])
  func `a damaged profile is ignored and reported`(_ name: String) throws {
    var file = try Fixture.data("color/\(name)")
    let plain = try decode(Self.renamed(Self.renamed(file, "iCCP", "icCP"), "ICC_", "XXX_"))
    // The profile's signature, or its compressed bytes after the name.
    let signature = file.firstRange(of: Data("acsp".utf8)) ?? file.firstRange(of: Data("ICC Profile\0\0".utf8))
    let damage = try #require(signature).upperBound - 1
    for index in damage - 1..<damage + 2 { file[index] ^= 0x55 }
    let image = try decode(name.hasSuffix("png") ? PNGChecksums.repaired(file) : file)
    #expect(image.info.droppedContent == [.colorProfile])
    guard name.hasSuffix("png") || name.hasSuffix("jpeg") else { return }
    #expect(plain.info.droppedContent == [])
    #expect(image.bitmap.largestDifference(to: plain.bitmap) == 0)
  }

  @Test func `a profile for another colour model is ignored and reported`() throws {
    let cmyk = try Fixture.data("color/inks.jpeg")
    let start = try #require(cmyk.firstRange(of: Data("ICC_PROFILE".utf8))).lowerBound
    let length = Int(cmyk[start - 2]) << 8 | Int(cmyk[start - 1])
    let segment = Array(cmyk[start..<start + length - 2])
    let plain = try Fixture.data("jpeg/peacock.default.jpeg")
    let image = try decode(FileSurgery.jpeg(plain, inserting: 0xE2, segment))
    #expect(image.info.droppedContent == [.colorProfile])
    #expect(try image.bitmap.largestDifference(to: decode(plain).bitmap) == 0)
  }

  @Test(arguments: [[1, 2, 3], [3, 1, 2], [2, 3, 1]])
  func `the chunks of a profile are put in the order of their numbers`(_ order: [Int]) throws {
    let file = try Fixture.data("color/display-p3.jpeg")
    let signature = try #require(file.firstRange(of: Data("ICC_PROFILE\0".utf8)))
    let (start, content) = (signature.lowerBound - 4, signature.upperBound + 2)
    let end = start + 2 + Int(file[start + 2]) << 8 + Int(file[start + 3])
    let profile = file[content..<end]
    let size = (profile.count + 2) / 3
    var split = Data(file[..<start])
    for number in order {
      let part = profile.dropFirst((number - 1) * size).prefix(size)
      let length = part.count + 16
      split += [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 0xFF)] + Data("ICC_PROFILE\0".utf8)
      split += [UInt8(number), 3] + part
    }
    split += file[end...]
    let image = try decode(split)
    #expect(image.info.droppedContent == [])
    #expect(try image.bitmap.largestDifference(to: decode(file).bitmap) == 0)
  }

  /// A decoder keeps conversions for its next images; a grey profile does not apply to colours.
  @Test func `a profile is looked up for the layout of the pixels`() throws {
    let grey = try Fixture.data("color/grey.png")
    let start = try #require(grey.firstRange(of: Data("iCCP".utf8)))
    let length = grey[start.lowerBound - 4..<start.lowerBound].reduce(0) { $0 << 8 | Int($1) }
    let profile = Array(grey[start.upperBound..<start.upperBound + length])
    let colored = FileSurgery.png(try Fixture.data("pngsuite/basn2c08.png"), inserting: "iCCP", profile)
    let expected: [Set<DroppedContent>] = [[], [.colorProfile]]
    for order in [[0, 1], [1, 0]] {
      let decoder = PNGDecoder()
      for index in order {
        let image = try decoder.decode([grey, colored][index], options: DecodingOptions())
        #expect(image.info.droppedContent == expected[index], "the file \(index), in the order \(order)")
      }
    }
  }

  @Test func `inks are inverted with and without Adobe's marker`() throws {
    let inverted = try Fixture.data("color/inks.jpeg")
    let bare = try decode(Self.renamed(inverted, "Adobe", "Xdobe"))
    #expect(try bare.bitmap.largestDifference(to: decode(inverted).bitmap) == 0)
    let plain = try decode(Fixture.data("cases/jpg-cmyk-no-adobe.jpg")).bitmap
    for (column, row, color) in [(0, 0, Color(0, 0, 255, 255)), (95, 63, Color(255, 255, 0, 255))] {
      let distance = plain.color(column, row) &- color
      #expect((0..<4).allSatisfy { abs(distance[$0]) <= 8 }, "\(plain.color(column, row))")
    }
    #expect(plain.color(48, 32) == Color(255, 255, 255, 255))
  }

  @Test func `a profile with a missing chunk is ignored and reported`() throws {
    let file = try Fixture.data("color/display-p3.jpeg")
    let place = try #require(file.firstRange(of: Data("ICC_PROFILE\0".utf8))).upperBound
    var cut = file
    cut[place + 1] = 2
    #expect(try decode(cut).info.droppedContent == [.colorProfile])
  }

  #if !IMAGEIO
  @Test func `a profile that inflates over the limit is ignored and reported`() throws {
    let bomb = try Fixture.data("color/profile-bomb.zlib")
    let content = Array("bomb\0\0".utf8) + bomb
    let file = try FileSurgery.png(Fixture.data("pngsuite/basn2c08.png"), inserting: "iCCP", content)
    #expect(try decode(file).info.droppedContent == [.colorProfile])
  }
  #endif

  @Test func `one decoder converts colours concurrently`() async throws {
    let file = try Fixture.data("color/display-p3.png")
    let decoder = PNGDecoder()
    let expected = try decoder.decode(file, options: DecodingOptions()).bitmap
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<40 {
        group.addTask { try decoder.decode(file, options: DecodingOptions()).bitmap.largestDifference(to: expected) }
      }
      for try await difference in group { #expect(difference == 0) }
    }
  }

  private func decode(_ name: String) throws -> DecodedImage { try decode(Fixture.data("color/\(name)")) }

  private func decode(_ file: Data, size: TargetSize = .original) throws -> DecodedImage {
    let format = try #require(ImageFormat(sniffing: file))
    let decoder = try #require(StandardCodecs.decoders.first { $0.formats.contains(format) })
    return try decoder.decode(file, options: DecodingOptions(size: size))
  }

  /// The file with a chunk type or signature replaced, and its checksums recomputed.
  private static func renamed(_ file: Data, _ old: String, _ new: String) -> Data {
    guard let range = file.firstRange(of: Data(old.utf8)) else { return file }
    var file = file
    file.replaceSubrange(range, with: Array(new.utf8))
    return PNGChecksums.repaired(file)
  }
}
