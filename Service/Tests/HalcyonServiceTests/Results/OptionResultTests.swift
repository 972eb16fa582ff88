import Foundation
import Halcyon
import HalcyonImaging
import HalcyonCodecs
import HalcyonService
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Options, and what the result of an image of four colours looks like.
struct ResultCase: CustomTestStringConvertible, Sendable {
  let options: String
  let size: PixelSize
  let corners: String

  init(_ options: String, _ width: Int, _ height: Int, _ corners: String) {
    self.options = options
    size = PixelSize(width: width, height: height)
    self.corners = corners
  }

  var testDescription: String { options }
}

/// The options of a path, shown by the pixels of their results.
@Suite(.integrationTest)
struct OptionResultTests {
  /// For a source of 80 by 60 pixels: red and green above, blue and white below.
  static let cases: [ResultCase] = [
    ResultCase("", 80, 60, "rgbw"), ResultCase("rs:fit:40:40", 40, 30, "rgbw"),
    ResultCase("rs:fill:30:60/g:we", 30, 60, "rrbb"), ResultCase("w:40/dpr:1.5", 60, 45, "rgbw"),
    ResultCase("c:30:20:nowe", 30, 20, "rrrr"), ResultCase("rot:90", 60, 80, "brwg"),
    ResultCase("rot:270/rs:fill:60:20/g:no", 60, 20, "gwgw"), ResultCase("fl:1", 80, 60, "grwb"),
    ResultCase("rs:fit:100:100/ex:1", 100, 100, "...."), ResultCase("rs:fit:100:60/ex:1:we/bg:000", 100, 60, "rkbk"),
    ResultCase("pd:0:20:0:0/bg:0000ff", 100, 60, "rbbb"), ResultCase("br:-255", 80, 60, "kkkk"),
    ResultCase("pix:80", 80, 60, "????"), ResultCase("co:0", 80, 60, "????"), ResultCase("mw:160", 160, 120, "rgbw"),
    ResultCase("pr:small", 20, 15, "rgbw"),
  ]

  @Test func `each option has the documented result`() async throws {
    try await RunningService.run {
      $0.presets = ["small": ["rs:fit:20:20"]]
    } body: { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=1000"]))
      for expected in Self.cases {
        let answer = try await service.image(expected.options, of: source)
        #expect(answer.status == 200, "\(expected.options): \(answer.status)")
        guard answer.status == 200 else { continue }
        let bitmap = try answer.bitmap()
        #expect(bitmap.size == expected.size, "\(expected.options): \(bitmap.size)")
        #expect(bitmap.corners == expected.corners, "\(expected.options): \(bitmap.corners)")
      }
      #expect(origin.requests.count == 1)
    }
  }

  /// The quadrants in a JPEG file with an orientation.
  private func turned(_ orientation: Int) throws -> Data {
    // One entry of the first directory.
    let directory = Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 18, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation), 0, 0]
    let exif = Array("Exif\0\0".utf8) + directory + [0, 0, 0, 0]
    var file = try Quadrants.jpeg()
    file.insert(contentsOf: [0xFF, 0xE1, 0, UInt8(exif.count + 2)] + exif, at: 2)
    return file
  }

  @Test(arguments: 1...8)
  func `stored pixels are those before the orientation, whatever follows`(orientation: Int) async throws {
    let file = try turned(orientation)
    for isDefault in [true, false] {
      try await RunningService.run {
        $0.autoRotates = isDefault
      } body: { service, origin in
        let source = origin.serve("/a.jpg", .body(file))
        let upright = try await service.image("ar:1", of: source).bitmap()
        #expect(upright.size == (orientation > 4 ? PixelSize(width: 60, height: 80) : PixelSize(width: 80, height: 60)))
        if orientation > 1 { #expect(upright.corners != "rgbw") }
        let byDefault = try await service.image("w:0", of: source).bitmap()
        #expect(byDefault.corners == (isDefault ? upright.corners : "rgbw"))
        // Each case of the plain image, also with borders removed, which depends on pixels.
        for expected in Self.cases where !expected.options.isEmpty && !expected.options.contains("pr:") {
          let bitmap = try await service.image("ar:0/\(expected.options)", of: source).bitmap()
          #expect(bitmap.size == expected.size, "\(expected.options): \(bitmap.size)")
          #expect(bitmap.corners == expected.corners, "\(expected.options): \(bitmap.corners)")
        }
        let trimmed = try await service.image("ar:0/t:10:ff0000/rot:90", of: source).bitmap()
        #expect(trimmed.corners == "brwg")
      }
    }
  }

  @Test(arguments: ["avif/mosaic-6.avif", "heif/mosaic-6.heic"])
  func `the pixels of a format that defines them as the turned ones are upright, whatever is asked for`(
    name: String
  ) async throws {
    let fixtures = URL(filePath: #filePath).appending(path: "../../../../..").standardizedFileURL
      .appending(path: "Tests/HalcyonCodecsTests/Fixtures")
    let file = try Data(contentsOf: fixtures.appending(path: name))
    try await RunningService.run { service, origin in
      let source = origin.serve("/a", .body(file))
      let upright = try await service.image("ar:1", of: source)
      #expect(try upright.bitmap().size == PixelSize(width: 48, height: 32))
      #expect(try await service.image("ar:0", of: source).body == upright.body)
    }
  }

  @Test func `the settings of encoders change the files`() async throws {
    for isThorough in [false, true] {
      try await RunningService.run {
        ($0.encoders.isJPEGProgressive, $0.encoders.isPNGInterlaced) = (isThorough, isThorough)
        $0.pngColorLimit = isThorough ? 64 : nil
      } body: { service, origin in
        let source = origin.serve("/a.png", .body(try Photos.data("chelsea.png")))
        let jpeg = try await service.image("w:200", of: source, as: "jpg")
        let png = try await service.image("w:200", of: source, as: "png")
        #expect(try ImageMetadata(of: jpeg.body).isProgressive == isThorough)
        #expect(try ImageMetadata(of: png.body).isProgressive == isThorough)
        let colors = try png.bitmap().withUnsafeBytes { Set($0.bindMemory(to: UInt32.self)).count }
        #expect((colors <= 64) == isThorough)
      }
    }
  }

  @Test func `PNG has a colour table if its source has one`() async throws {
    func hasTable(_ png: RunningService.Answer) -> Bool {
      png.body.count > 25 && png.body[png.body.startIndex + 25] == 3
    }
    try await RunningService.run { service, origin in
      let photo = origin.serve("/a.png", .body(try Photos.data("chelsea.png")))
      #expect(try await !hasTable(service.image("w:200", of: photo)))
      let gif = try await service.image("w:200", of: photo, as: "gif")
      let png = try await service.image("w:100", of: origin.serve("/a.gif", .body(gif.body)))
      let again = try await service.image("w:50", of: origin.serve("/b.png", .body(png.body)), as: nil)
      for result in [png, again] {
        #expect(try ImageFormat(sniffing: result.body) == .png && result.bitmap().size.width > 0)
        #expect(hasTable(result))
      }
    }
  }

  @Test(arguments: [
    ("jpg", "image/jpeg"), ("png", "image/png"), ("webp", "image/webp"), ("gif", "image/gif"), ("avif", "image/avif"),
    ("jxl", "image/jxl"),
  ])
  func `a result has the format of the extension or of the option`(format: String, type: String) async throws {
    try await RunningService.run { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png()))
      for answer in [
        try await service.image("w:40", of: source, as: format),
        try await service.image("w:40/f:\(format)", of: source, as: nil),
      ] {
        #expect(answer.status == 200)
        #expect(answer.headers["Content-Type"] == type)
        #expect(ImageFormat(sniffing: answer.body)?.mediaType == type)
      }
    }
  }

  @Test func `without a format the result has that of the source, or one that every client can show`() async throws {
    try await RunningService.run { service, origin in
      for (name, file, type) in [
        ("a.png", try Quadrants.png(), "image/png"), ("a.jpg", try Quadrants.jpeg(), "image/jpeg"),
      ] {
        let answer = try await service.image("w:40", of: origin.serve("/" + name, .body(file)), as: nil)
        #expect(answer.headers["Content-Type"] == type)
      }
      for format in [ImageFormat.webp, .avif, .jpegXL] {
        for (alpha, type) in [(UInt8(255), "image/jpeg"), (128, "image/png")] {
          let file = try await DecodedImage(bitmap: Quadrants.bitmap(alpha: alpha)).encoded(as: format)
          let source = origin.serve("/\(format.rawValue)\(alpha)", .body(file))
          let answer = try await service.image("w:40", of: source, as: nil, ["Accept": "image/png,*/*"])
          #expect(answer.headers["Content-Type"] == type && answer.headers["Vary"] == nil, "\(format) \(alpha)")
          // What counts is whether the result is transparent.
          let filled = try await service.image("w:40/bg:255:255:255", of: source, as: nil)
          #expect(filled.headers["Content-Type"] == "image/jpeg", "\(format) \(alpha)")
          let padded = try await service.image("w:40/pd:5", of: source, as: nil)
          #expect(padded.headers["Content-Type"] == "image/png", "\(format) \(alpha)")
        }
      }
    }
    try await RunningService.run {
      $0.preferredFormats = [.png, .webp]
    } body: { service, origin in
      let webp = origin.serve("/a.webp", .body(try await DecodedImage(bitmap: Quadrants.bitmap()).encoded(as: .webp)))
      let jpeg = origin.serve("/a.jpg", .body(try Quadrants.jpeg()))
      #expect(try await service.image("w:40", of: webp, as: nil).headers["Content-Type"] == "image/webp")
      #expect(try await service.image("w:40", of: jpeg, as: nil).headers["Content-Type"] == "image/png")
    }
  }

  @Test func `a sharpness below the least mask has no effect`() async throws {
    try await RunningService.run { service, origin in
      let source = origin.serve("/a.jpg", .body(try Photos.data("rocket.jpg")))
      let plain = try await service.image("w:100", of: source).body
      #expect(try await service.image("w:100/sh:0.4", of: source).body == plain)
      #expect(try await service.image("w:100/sh:0.5", of: source).body != plain)
    }
  }

  @Test func `quality and the limit of bytes make smaller files`() async throws {
    try await RunningService.run { service, origin in
      let photo = try Photos.data("rocket.jpg")
      let source = origin.serve("/a.jpg", .body(photo))
      let good = try await service.image("w:300/q:90", of: source, as: "jpg").body.count
      let bad = try await service.image("w:300/q:20", of: source, as: "jpg").body.count
      let format = try await service.image("w:300/fq:jpg:20", of: source, as: "jpg").body.count
      #expect(bad < good && bad == format)
      #expect(try await service.image("w:300/q:90/fq:jpg:20", of: source, as: "jpg").body.count == good)
      try await RunningService.run {
        ($0.quality, $0.formatQuality) = (90, [.jpeg: 20])
      } body: { other, _ async throws in
        #expect(try await other.image("w:300", of: source, as: "jpg").body.count == bad)
        #expect(try await other.image("w:300/fq:jpg:90", of: source, as: "jpg").body.count == good)
      }
      let limited = try await service.image("w:300/q:90/mb:8000", of: source, as: "jpg")
      #expect(limited.status == 200 && limited.body.count <= 8000)
      // A limit that no quality reaches has the smallest file, and one for a format without a quality no effect.
      let smallest = try await service.image("w:300/mb:100", of: source, as: "jpg")
      #expect(smallest.status == 200 && (100..<limited.body.count).contains(smallest.body.count))
      await service.service.flush()
      let again = try await service.image("w:300/mb:100/fn:a", of: source, as: "jpg")
      #expect(again.headers["Cache-Status"] == "halcyon; hit" && again.body == smallest.body)
      let png = try await service.image("w:300", of: source, as: "png").body
      #expect(try await service.image("w:300/mb:100", of: source, as: "png").body == png)
    }
  }

  @Test func `a transparent image has white behind it in JPEG, or the background`() async throws {
    try await RunningService.run { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png(alpha: 0)))
      #expect(try await service.image("w:40", of: source, as: "jpg").bitmap().corners == "wwww")
      #expect(try await service.image("w:40/bg:0:0:255", of: source, as: "jpg").bitmap().corners == "bbbb")
      #expect(try await service.image("w:40", of: source, as: "png").bitmap().corners == "....")
    }
  }

  @Test func `a watermark is drawn at its place`() async throws {
    let file = URL.temporaryDirectory.appending(path: "halcyon-mark-\(UUID().uuidString).png")
    defer { try? FileManager.default.removeItem(at: file) }
    try Quadrants.png(width: 20, height: 20).write(to: file)
    try await RunningService.run {
      $0.watermark = file
    } body: { service, origin in
      let black = try Bitmap(size: PixelSize(width: 80, height: 60), isOpaque: true) { bytes in
        for index in stride(from: 3, to: bytes.count, by: 4) { bytes[index] = 255 }
      }
      let source = origin.serve("/k.png", .body(try await DecodedImage(bitmap: black).encoded(as: .png)))
      #expect(try await service.image("wm:1:nowe", of: source).bitmap().corners == "rkkk")
      #expect(try await service.image("wm:1:soea", of: source).bitmap().corners == "kkkw")
      #expect(try await service.image("wm:1:re", of: source).bitmap().corners == "grwb")
      #expect(try await service.image("wm:0", of: source).bitmap().corners == "kkkk")
      let half = try await service.image("wm:0.5:nowe", of: source).bitmap()[2, 2]
      #expect((120...136).contains(half.red))
      try await RunningService.run {
        $0.watermarkOpacity = 0.5
        let data = try? Data(contentsOf: file).base64EncodedString()
        $0.watermark = URL(string: "data:;base64," + (data ?? ""))
      } body: { faint, _ async throws in
        #expect((120...136).contains(try await faint.image("wm:1:nowe", of: source).bitmap()[2, 2].red))
      }
      let scaled = try await service.image("wm:1:ce:0:0:1", of: source).bitmap()
      #expect(scaled.letter(0.25, 0.05) == "r" && scaled.letter(0.7, 0.95) == "w")
    }
  }
}
