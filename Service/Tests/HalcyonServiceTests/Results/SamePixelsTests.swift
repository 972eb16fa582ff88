import Foundation
import Halcyon
import HalcyonCodecs
import HalcyonService
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// The command line by its options and by those of a URL, the service, and a request to a pipeline.
@Suite(.integrationTest)
struct SamePixelsTests {
  /// One change of an image, as each of them is asked for it.
  private struct Change {
    let arguments: [String]
    let options: String
    var size = TargetSize.original
    var region: PixelArea?
    var processors: [any ImageProcessor] = []
  }

  private static func changes(_ mark: Bitmap) -> [Change] {
    [
      Change(arguments: [], options: ""),
      Change(arguments: ["--size", "50x40"], options: "rs:fit:50:40", size: .fit(width: 50, height: 40)),
      Change(arguments: ["--size", "37"], options: "s:37:37", size: .fit(width: 37, height: 37)),
      Change(arguments: ["--size", "x23"], options: "h:23", size: .fit(height: 23)),
      Change(
        arguments: ["--size", "41x40", "--resize", "fill"], options: "rs:fill-down:41:40",
        size: .fill(width: 41, height: 40)),
      Change(
        arguments: ["--size", "400x180", "--resize", "fill"], options: "rs:fill-down:400:180",
        size: .fill(width: 400, height: 180)),
      Change(
        arguments: ["--size", "150x50", "--resize", "exact"], options: "rs:force:150:50:1",
        size: .exact(width: 150, height: 50)),
      Change(
        arguments: ["--rotate", "90", "--size", "40x30"], options: "rot:90/s:40:30", size: .fit(width: 30, height: 40),
        processors: [.rotate(degrees: 90)]),
      Change(
        arguments: ["--rotate", "180", "--size", "400x180", "--resize", "fill"],
        options: "rot:180/rs:fill-down:400:180",
        size: .fill(width: 400, height: 180), processors: [.rotate(degrees: 180)]),
      Change(
        arguments: ["--crop", "30x20+10+7"], options: "c:30:20:nowe:10:7",
        region: PixelArea(left: 10, top: 7, width: 30, height: 20)),
      Change(arguments: ["--trim"], options: "t:10", processors: [.trim()]),
      Change(
        arguments: ["--watermark", "MARK", "--size", "400x180", "--resize", "fill"],
        options: "wm:1:soea:10:10/rs:fill-down:400:180", size: .fill(width: 400, height: 180),
        processors: [.watermark(mark, inset: 10)]),
    ]
  }

  /// Images of all kinds that have no colour table, which the service's PNG files have as well.
  private static func files() throws -> [(name: String, data: Data)] {
    let photo = try DecodedImage(data: try Photos.data("rocket.jpg"), size: .fit(width: 97))
    let tall = try photo.processed(by: [.rotate(degrees: 90), .crop(width: 51, height: 80)])
    let round = try photo.processed(by: [.circle()])
    let framed = try photo.processed(by: [
      .crop(width: 60, height: 50), .padding(top: 9, right: 11, bottom: 4, left: 7),
    ])
    let grey = try photo.processed(by: [.grayscale])
    var pixels = Data("BM".utf8) + Data(count: 52)
    pixels[10] = 54
    (pixels[14], pixels[18], pixels[22], pixels[26], pixels[28]) = (40, 64, 48, 1, 24)
    pixels += (0..<64 * 48 * 3).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }
    let moving = try StandardCodecs.gif([
      AnimationFrame(bitmap: tall.bitmap, duration: .seconds(1)),
      AnimationFrame(bitmap: tall.bitmap, duration: .seconds(1)),
    ])
    let drawing = """
      <svg xmlns="http://www.w3.org/2000/svg" width="90" height="64"><rect width="70" height="40" x="9" y="5" fill="#c40"/>\
      <circle cx="50" cy="40" r="20" fill="#08f8"/></svg>
      """
    return [
      ("photo.jpg", try photo.encoded(as: .jpeg)), ("tall.jpg", try tall.encoded(as: .jpeg)),
      ("grey.jpg", try grey.encoded(as: .jpeg)), ("photo.png", try photo.encoded(as: .png)),
      ("round.png", try round.encoded(as: .png)), ("framed.png", try framed.encoded(as: .png)),
      ("photo.webp", try photo.encoded(as: .webp)), ("round.webp", try round.encoded(as: .webp)),
      ("moving.webp", try DecodedImage(data: moving).encoded(as: .webp)), ("photo.avif", try photo.encoded(as: .avif)),
      ("pixels.bmp", pixels), ("drawing.svg", Data(drawing.utf8)),
    ]
  }

  @Test func `one rendering serves the command line, the service and requests`() async throws {
    try await TemporaryDirectory.run { folder in
      let (mark, markFile) = (try Quadrants.bitmap(width: 12, height: 8), folder.appending(path: "mark.png"))
      try await DecodedImage(bitmap: mark).write(to: markFile)
      let sources = folder.appending(path: "sources", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
      let files = try Self.files()
      for (name, data) in files { try data.write(to: sources.appending(path: name)) }
      let program = folder.appending(path: "halcyon")
      try FileManager.default.createSymbolicLink(
        at: program,
        withDestinationURL: try #require(Bundle.main.executableURL).resolvingSymlinksInPath()
          .deletingLastPathComponent().appending(path: "halcyon-serve"))
      func converted(_ arguments: [String], to name: String) async throws -> URL {
        let output = folder.appending(path: name, directoryHint: .isDirectory)
        let process = try ChildProcess(
          program.path,
          [
            "convert", sources.path(), "-o", output.path(), "--format", "png", "-q", "--name",
            "{source-ext}-{name}.png",
          ]
            + arguments, output: 2)
        #expect(await process.ended() == .exit(0), "\(arguments)")
        return output
      }
      let pipeline = ImagePipeline()
      try await RunningService.run {
        $0.watermark = markFile
      } body: { service, origin in
        for (number, change) in Self.changes(mark).enumerated() {
          let arguments = change.arguments.map { $0 == "MARK" ? markFile.path() : $0 }
          let plain = try await converted(arguments, to: "plain-\(number)")
          let process =
            (change.options.isEmpty ? [] : ["--process", change.options])
            + (change.options.contains("wm:") ? ["--watermark", markFile.path()] : [])
          let processed = try await converted(process, to: "processed-\(number)")
          for (name, data) in files {
            let parts = name.split(separator: ".")
            let result = "\(parts[1])-\(parts[0]).png"
            let expected = try pixels(Data(contentsOf: plain.appending(path: result)))
            #expect(try pixels(Data(contentsOf: processed.appending(path: result))) == expected, "\(name) \(process)")
            let answer = try await service.image(change.options, of: origin.serve("/\(name)", .body(data)))
            try #require(answer.status == 200, "\(name) \(change.options): \(answer.text)")
            #expect(try pixels(answer.body) == expected, "\(name) \(change.options)")
            var request = ImageRequest(source: .data(data), size: change.size, processors: change.processors)
            request.region = change.region
            let encoded = try await pipeline.encodedData(for: request, as: .png)
            #expect(try pixels(encoded) == expected, "\(name) \(change.size) \(change.processors.map(\.identifier))")
          }
        }
      }
    }
  }

  /// The size and a hash of the pixels.
  private func pixels(_ file: Data) throws -> String {
    let bitmap = try DecodedImage(data: file).bitmap
    var hasher = Hasher()
    bitmap.withUnsafeBytes { hasher.combine(bytes: $0) }
    return "\(bitmap.size) \(hasher.finalize())"
  }
}
