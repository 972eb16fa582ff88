import HalcyonImaging
import Foundation
import HalcyonCodecs
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct PartialImageTests {
  private static let names = [
    "jpeg/peacock.default.jpeg", "jpeg/peacock.progressive.jpeg", "jpeg/peacock.made-cmyk.jpeg", Fixture.photo,
    "pngsuite/basi2c08.png", "pngsuite/basn6a16.png",
  ]

  @Test(arguments: names, [TargetSize.original, .fit(width: 24, height: 24), .fit(width: 9, height: 9)])
  func `any prefix past the header gives a partial image if allowed`(_ name: String, _ size: TargetSize) throws {
    let file = try Fixture.data(name)
    let options = DecodingOptions(size: size, allowsPartialImage: true)
    var imageCount = 0
    // The last bytes of a PNG file are checksums and its end.
    for count in stride(from: 0, to: file.count - 40, by: max(7, file.count / 30)) {
      do {
        let image = try decoder(name).decode(file.prefix(count), options: options)
        #expect(try image.isPartial && image.size == options.outputSize(for: image.info.pixelSize))
        imageCount += 1
      } catch {
        let isInHeader = try decoder(name).probe(file.prefix(count), isComplete: false) == nil
        #expect(
          error as? ImageDecodingError == .truncated(name.hasSuffix("png") ? .png : .jpeg) && isInHeader,
          "\(count): \(error)")
      }
    }
    #expect(imageCount > 0)
  }

  @Test(arguments: names, [TargetSize.original, .fit(width: 9, height: 9)])
  func `a complete file is not partial and decodes identically`(_ name: String, _ size: TargetSize) throws {
    let file = try Fixture.data(name)
    let strict = try decoder(name).decode(file, options: DecodingOptions(size: size))
    let lenient = try decoder(name).decode(file, options: DecodingOptions(size: size, allowsPartialImage: true))
    #expect(!strict.isPartial && !lenient.isPartial)
    #expect(strict.bitmap.largestDifference(to: lenient.bitmap) == 0)
  }

  @Test(arguments: ["jpeg/peacock.default.jpeg", Fixture.photo])
  func `a partial image has the same first rows as the complete one`(_ name: String) throws {
    let file = try Fixture.data(name)
    let whole = try decoder(name).decode(file, options: DecodingOptions()).bitmap
    let cut = file.prefix(file.count * 3 / 4)
    let part = try decoder(name).decode(cut, options: DecodingOptions(allowsPartialImage: true)).bitmap
    let rows = (0..<whole.size.height).prefix { row in
      (0..<whole.size.width).allSatisfy { whole.color($0, row) == part.color($0, row) }
    }
    #expect(rows.count > whole.size.height / 3 && rows.count < whole.size.height)
    let last = part.color(part.size.width / 2, part.size.height - 1)
    #expect(last == (name.hasSuffix("png") ? Color(0, 0, 0, 0) : Color(128, 128, 128, 255)))
  }

  private func decoder(_ name: String) -> any ImageDecoder {
    name.hasSuffix("png") ? PNGDecoder() : JPEGDecoder()
  }
}
