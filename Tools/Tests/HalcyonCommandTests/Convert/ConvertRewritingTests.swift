import Foundation
import Halcyon
@_spi(Programs) import HalcyonCodecs
import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCommand

/// Changes that do not encode pixels again.
@Suite(.integrationTest)
struct ConvertRewritingTests {
  /// The pixels of a file.
  private func pixels(_ file: Data) throws -> Bitmap {
    try DecodedImage(data: file).bitmap
  }

  @Test(
    arguments: [
      (["--progressive"], "rocket.jpg"), (["--rotate", "270"], "rocket.jpg"), (["--rotate", "90"], "astronaut.jpg"),
      (["--rotate", "180", "--progressive", "--lossless", "--format", "jpeg"], "astronaut.jpg"),
    ] as [([String], String)])
  func `a JPEG file is rotated and made progressive without encoding its pixels again`(
    options: [String], photo: String
  ) async throws {
    try await withFolders { sources, output in
      try writePhoto(photo, to: sources, as: ["a.jpg"])
      let run = try await CommandRun(["convert", sources.path(), "-o", output.path()] + options)
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      #expect(run.output.contains("; 1 not encoded again."), "\(run.output)\(run.errors)")
      let result = try Data(contentsOf: output.appending(path: "a.jpg"))
      #expect(try ImageMetadata(of: result).isProgressive == options.contains("--progressive"))
      // Turned back, the pixels are those of the source.
      let turns = options.firstIndex(of: "--rotate").map { (4 - (Int(options[$0 + 1]) ?? 0) / 90) % 4 } ?? 0
      let back = try #require(
        try JPEGTransform.transformed(result, quarterTurns: turns, isProgressive: false, metadata: .strip))
      let (original, found) = try (pixels(Photos.data(photo)), pixels(back))
      #expect(original.size == found.size)
      #expect(original.withUnsafeBytes { Data($0) } == found.withUnsafeBytes { Data($0) })
    }
  }

  @Test(arguments: MetadataArgument.allCases)
  func `help names the metadata policies that encode nothing again`(policy: MetadataArgument) async throws {
    try await withFolders { sources, output in
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
      let run = try await CommandRun(
        "convert", sources.path(), "-o", output.path(), "--metadata", policy.rawValue, "--json")
      let report = try #require(try run.objects().first)
      let help = ConvertCommand.configuration.discussion.split(separator: ". ")
      let sentence = try #require(help.first { $0.contains("encode JPEG files again") })
      let isNamed = sentence.split(separator: " ").contains { $0 == policy.rawValue }
      #expect(report["encoded"] as? Bool != isNamed)
    }
  }

  @Test func `other formats are made progressive by encoding them`() async throws {
    try await withFolders { sources, output in
      try writePhoto("clock_motion.png", to: sources, as: ["a.png"])
      let run = try await CommandRun(["convert", sources.path(), "-o", output.path(), "--progressive", "--json"])
      #expect(try run.objects().first?["encoded"] as? Bool == true, "\(run.errors)")
    }
  }

  @Test func `pixels that cannot be kept are encoded again, and with lossless an error`() async throws {
    try await withFolders { sources, output in
      // 427 rows are no whole blocks.
      try writePhoto("rocket.jpg", to: sources, as: ["a.jpg"])
      let arguments = ["convert", sources.path(), "-o", output.path(), "--rotate", "90"]
      let report = try #require(try await CommandRun(arguments + ["--json"]).objects().first)
      #expect(report["encoded"] as? Bool == true && report["width"] as? Int == 427)
      let lossless = try await CommandRun(arguments + ["--lossless", "--overwrite"])
      #expect(lossless.status == 1, "\(lossless.output)\(lossless.errors)")
      #expect(lossless.errors.contains("loses colours"), "\(lossless.output)\(lossless.errors)")
    }
  }

  @Test(arguments: [0, 200]) func `a file of over 100 scans is not rewritten`(repetitions: Int) throws {
    let file = try #require(
      try JPEGTransform.transformed(
        Photos.data("astronaut.jpg"), quarterTurns: 0, isProgressive: true, metadata: .strip))
    let scan = try #require(file.range(of: Data([0xFF, 0xDA]), options: .backwards))
    let last = Data(file[scan.lowerBound..<file.endIndex - 2])
    let many = file.dropLast(2) + (0..<repetitions).reduce(into: Data()) { data, _ in data += last } + [0xFF, 0xD9]
    let result = try JPEGTransform.transformed(Data(many), quarterTurns: 0, isProgressive: false, metadata: .strip)
    #expect((result == nil) == (repetitions > 0))
  }

  @Test(arguments: [1, 5000]) func `a place of many long values costs no more than the file`(valueCount: Int) throws {
    func bytes(_ number: Int, _ count: Int) -> Data {
      Data((0..<count).map { UInt8(number >> (8 * (count - 1 - $0)) & 255) })
    }
    // A directory whose one entry is that of the place, and one of the place whose values are all the same.
    var exif =
      Data("MM\0*".utf8) + bytes(8, 4) + bytes(1, 2) + bytes(0x8825, 2) + bytes(4, 2) + bytes(1, 4) + bytes(26, 4)
    exif += bytes(0, 4) + bytes(valueCount, 2)
    for _ in 0..<valueCount { exif += bytes(29, 2) + bytes(7, 2) + bytes(valueCount * 12, 4) + bytes(26, 4) }
    exif += bytes(0, 4)
    let segment = Data([0xFF, 0xE1]) + bytes(exif.count + 8, 2) + Data("Exif\0\0".utf8) + exif
    let photo = try Photos.data("astronaut.jpg")
    let result = try ImageMetadata.removedPlace(from: photo.prefix(2) + segment + photo.dropFirst(2))
    #expect((result == nil) == (valueCount > 1))
  }

  @Test(
    arguments: ["jpg", "png", "webp"].flatMap { [($0, []), ($0, ["--size", "50x"])] } + [("jpg", ["--progressive"])]
      as [(String, [String])])
  func `only the place is removed from the metadata`(format: String, change: [String]) async throws {
    try await withFolders { sources, output in
      let isResized = change.contains("--size")
      let image = try await DecodedImage(data: Photos.data("rocket.jpg"), size: .fit(width: 80, height: 80))
      var metadata = try ImageMetadata(of: Photos.data("rocket.jpg"))
      metadata.exif = ExifWithPlace.data
      metadata.xmp = Data(ExifWithPlace.xmp.utf8)
      let source = sources.appending(path: "a.\(format)")
      try await image.encoded(as: #require(ImageFormat(fileExtension: format)), metadata: metadata).write(to: source)
      #expect(try ImageMetadata(of: Data(contentsOf: source)).hasLocation)
      let run = try await CommandRun(
        ["convert", source.path(), "-o", output.path(), "--metadata", "no-place"] + change)
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      #expect(run.output.contains("not encoded again") == !isResized, "\(run.output)\(run.errors)")
      let result = try Data(contentsOf: output.appending(path: "a.\(format)"))
      let kept = try ImageMetadata(of: result)
      #expect(!kept.hasLocation)
      #expect(kept.copyright == "Ann")
      #expect(kept.cameraModel == "X1")
      #expect(result.firstRange(of: Data([0, 0, 0, 52, 0, 0, 0, 1])) == nil)
      #expect(result.firstRange(of: Data("52,30".utf8)) == nil)
      #expect(try await DecodedImage(data: result).size.width == (isResized ? 50 : 80))
    }
  }
}

/// Exif data and XMP of a camera, with a copyright and a place at 52 degrees north.
enum ExifWithPlace {
  static let xmp = """
    <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description \
    rdf:about="" xmlns:e="http://ns.adobe.com/exif/1.0/" e:GPSLatitude="52,30N" photoshop:City="52,30"><e:GPSLongitude>13,24E</e:GPSLongitude>\
    </rdf:Description></rdf:RDF></x:xmpmeta>
    """

  static var data: Data {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      number(tag, 2) + number(type, 2) + number(count, 4) + value
    }
    let place = 8 + 2 + 3 * 12 + 4
    let main =
      entry(0x0110, 2, 3, Array("X1\0\0".utf8)) + entry(0x8298, 2, 4, Array("Ann\0".utf8))
      + entry(0x8825, 4, 1, number(place, 4))
    // Before the copyright in the order of tags, entries that follow the place are moved.
    let latitude = place + 2 + 3 * 12 + 4
    // The version is no offset, though there are bytes of the camera's name at 10.
    let directory =
      entry(0, 1, 4, [0, 0, 0, 10]) + entry(1, 2, 2, Array("N\0\0\0".utf8)) + entry(2, 5, 3, number(latitude, 4))
    let fractions = [52, 1, 30, 1, 0, 1].flatMap { number($0, 4) }
    return Data(
      Array("MM".utf8) + number(42, 2) + number(8, 4) + number(3, 2) + main + number(0, 4) + number(3, 2) + directory
        + number(0, 4) + fractions)
  }
}
