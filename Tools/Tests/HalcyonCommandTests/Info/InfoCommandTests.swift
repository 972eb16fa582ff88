import Foundation
import Halcyon
import HalcyonImaging
import HalcyonCodecs
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCommand

@Suite(.integrationTest)
struct InfoCommandTests {
  @Test func `an error without standard error is a status`() async throws {
    let program = try CommandRun.program().path()
    let run = try await CommandRun(
      URL(filePath: "/bin/sh"), ["-c", "exec \"$0\" info missing.png 2>&-", program])
    #expect(run.status == 1)
  }

  @Test func `a folder is searched, continuing after files that cannot be read`() async throws {
    try await withOrigin { server, folder in
      try writePhoto("clock_motion.png", to: folder, as: ["clock_motion.png"])
      try writePhoto("rocket.jpg", to: folder, as: ["in/rocket.jpg"])
      try Photos.data("rocket.jpg").prefix(50_000).write(to: folder.appending(path: "cut.jpg"))
      try Data("hello".utf8).write(to: folder.appending(path: "text.txt"))
      try Data().write(to: folder.appending(path: "empty"))
      try FileManager.default.createSymbolicLink(
        atPath: folder.path() + "/in/again", withDestinationPath: folder.path())
      let run = try await CommandRun("info", folder.path(percentEncoded: false), "--decode", "--json")
      let reports = try run.objects()
      #expect(run.status == 1)
      #expect(
        reports.map { ($0["path"] as? String)?.split(separator: "/").last } == [
          "clock_motion.png", "cut.jpg", "rocket.jpg",
        ])
      #expect(run.errors == "Skipped 2 files that are not images.\n")
      #expect(reports.map { $0["format"] as? String } == ["png", "jpeg", "jpeg"])
      #expect(reports.map { $0["width"] as? Int } == [400, 640, 640])
      #expect(reports.map { $0["frames"] as? Int } == [1, 1, 1])
      #expect(reports.map { $0["milliseconds"] is Double } == [true, false, true])
      #expect(reports.map { $0["error"] is String } == [false, true, false])
      #expect(reports.allSatisfy { $0.keys.contains("error") && $0.keys.contains("height") })
    }
  }

  @Test func `only broken images are printed on request, and ThumbHashes`() async throws {
    try await withOrigin { _, folder in
      let photo = try Photos.data("rocket.jpg")
      try photo.write(to: folder.appending(path: "a.jpg"))
      try photo.prefix(50_000).write(to: folder.appending(path: "cut.jpg"))
      var damaged = photo
      damaged.replaceSubrange(40_000..<40_064, with: Data(repeating: 0x55, count: 64))
      try damaged.write(to: folder.appending(path: "damaged.jpg"))
      try Data("hello".utf8).write(to: folder.appending(path: "fake.jpg"))
      let paths = ["info", folder.path(), "--cache-dir", folder.path() + "/c"]
      let run = try await CommandRun(paths + ["--broken"])
      let lines = run.output.split(separator: "\n")
      #expect(run.status == 1, "\(run.output)")
      #expect(lines.count == 3, "\(run.output)")
      #expect(lines.first?.contains("cut.jpg") == true)
      #expect(lines.dropFirst().first?.contains("damaged") == true)
      #expect(lines.last?.contains("fake.jpg is not an image") == true)
      let hashes = try await CommandRun(paths + ["--thumbhash", "--json"]).objects()
      let hash = try await ThumbHash(DecodedImage(data: photo, size: .fit(width: 100, height: 100)).bitmap)
      #expect(
        hashes.first { ($0["path"] as? String)?.hasSuffix("/a.jpg") == true }?["thumbHash"] as? String == hash.text)
    }
  }

  @Test func `URLs and file paths are accepted together`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/cat.png", .body(try Photos.data("chelsea.png"))).absoluteString
      let run = try await CommandRun("info", url, "no-such-file.png", "--cache-dir", folder.path() + "/c")
      #expect(run.output.contains("\(url): png 451x300, 8-bit rgb"))
      #expect(run.output.contains("no-such-file.png cannot be read"))
      #expect(run.output.components(separatedBy: "no-such-file.png").count == 2)
      #expect(run.status == 1)
    }
  }

  @Test func `a name that is not UTF-8, or has control characters, is read and shown escaped`() async throws {
    try await TemporaryDirectory.run { folder in
      let photo = folder.appending(path: "photo")
      let cache = ["--cache-dir", folder.path() + "/c"]
      for name in [Array("caf".utf8) + [0xE9], Array("a\u{1B}[2J\n\u{202E}b".utf8)] {
        try Photos.data("rocket.jpg").write(to: photo)
        let directory = folder.path() + "/in"
        mkdir(directory, 0o700)
        let path = Array("\(directory)/".utf8) + name
        try #require(rename(photo.path(), path.map { CChar(bitPattern: $0) } + [0]) == 0)
        defer { unlink(path.map { CChar(bitPattern: $0) } + [0]) }
        let run = try await CommandRun(["info", directory] + cache)
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.output.contains(": jpeg 640x427"), "\(run.output)\(run.errors)")
        #expect(run.output.split(separator: "\n").count == 1)
        #expect(!run.output.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{202E}" })
        let report = try #require(try await CommandRun(["info", directory, "--json"] + cache).objects().first)
        #expect(
          (report["path"] as? String)?.hasSuffix(name[0] == 0x63 ? "/caf\u{FFFD}" : "/a\u{1B}[2J\n\u{202E}b") == true)
      }
    }
  }

  #if os(Linux)
  @Test func `a name that is not UTF-8 is an argument of all commands`() async throws {
    try await TemporaryDirectory.run { folder in
      try Photos.data("rocket.jpg").write(to: folder.appending(path: "a.jpg"))
      // Foundation passes no other bytes than UTF-8 to a process.
      let script = """
        set -e; cd '\(folder.path())'; halcyon='\(try CommandRun.program().path())'; name="$(printf 'caf\\351')"
        mv a.jpg "$name.jpg"
        $halcyon info "$name.jpg" --cache-dir c
        $halcyon get "$name.jpg" -o "$name.png" --cache-dir c
        $halcyon get "$name.jpg" -o out/ --cache-dir c
        $halcyon compare "$name.jpg" "$name.png" --cache-dir c -o "$name-difference.png"
        $halcyon convert "$name.jpg" -o "$name" --size 9x
        $halcyon convert "$name.jpg" -o "$name.webp"
        $halcyon convert 'caf?.j*' -o patterns --size 9x
        test -f "out/$name.jpg" -a -f "$name/$name.jpg" -a -f "$name.webp" -a -f "$name-difference.png"
        test -f "patterns/$name.jpg"
        ! $halcyon cache ls -d "$name-cache" 2> errors; grep 'is not UTF-8' errors
        rm -r *
        """
      let run = try await CommandRun(URL(filePath: "/bin/sh"), ["-c", script])
      #expect(run.status == 0, "\(run.output)\(run.errors)")
    }
  }
  #endif

  @Test func `a pipe, a socket and a missing file are errors, and in a folder no files`() async throws {
    try await TemporaryDirectory.run { folder in
      let pipe = folder.path() + "/pipe.jpg"
      try #require(mkfifo(pipe, 0o600) == 0)
      let cache = ["--cache-dir", folder.path() + "/c"]
      let run = try await CommandRun(["info", pipe, ""] + cache)
      #expect(run.status == 1)
      #expect(run.output.contains("\(pipe) is a pipe, not a file."))
      #expect(run.output.contains("\nAn argument is empty."))
      let inFolder = try await CommandRun(["info", folder.path()] + cache)
      #expect(inFolder.status == 0, "\(inFolder.output)")
      #expect(inFolder.output.isEmpty, "\(inFolder.output)")
    }
  }

  @Test func `a file that is not an image is named once, as it was given`() async throws {
    try await TemporaryDirectory.run { folder in
      try Data("hello".utf8).write(to: folder.appending(path: "my notes.txt"))
      let path = "\(folder.path())/./my notes.txt"
      let run = try await CommandRun("info", path, "--cache-dir", folder.path() + "/c")
      #expect(run.output.hasPrefix("\(path) is not an image"), "\(run.output)")
      #expect(run.output.components(separatedBy: "notes").count == 2)
    }
  }

  @Test func `a minus reads standard input`() async throws {
    try await TemporaryDirectory.run { folder in
      let photo = folder.appending(path: "a.jpg")
      try Photos.data("rocket.jpg").write(to: photo)
      let halcyon = "'\(try CommandRun.program().path())'"
      let cache = "--cache-dir '\(folder.path())/c'"
      let shell = URL(filePath: "/bin/sh")
      let run = try await CommandRun(shell, ["-c", "cat '\(photo.path())' | \(halcyon) info - \(cache)"])
      #expect(run.output.hasPrefix("-: jpeg 640x427"), "\(run.output)\(run.errors)")
      for (input, option, message) in [
        ("true", "", "Standard input is empty."), ("echo hello", "", "Standard input is not an image"),
        ("echo hello", "--max-bytes 6", "Standard input is not an image"),
        ("echo hello", "--max-bytes 5", "Standard input is over 5 bytes"),
      ] {
        let failed = try await CommandRun(shell, ["-c", "\(input) | \(halcyon) info - \(cache) \(option)"])
        #expect(failed.status == 1, "\(failed.output)")
        #expect(failed.output.contains(message), "\(failed.output)")
        #expect(!failed.output.contains("data of this source"))
      }
    }
  }

  @Test func `camera, date, profile and animation are printed`() async throws {
    try await withOrigin { _, folder in
      let photo = folder.appending(path: "photo.jpg")
      try Photos.data("rocket.jpg").write(to: photo)
      let image = try await ImagePipeline().image(for: photo)
      let fields = ImageMetadata(info: image.info, cameraMake: "Canon", cameraModel: "R5", copyright: "Ann\u{1B}[2J")
      try await image.write(to: photo, metadata: fields)
      let animation = folder.appending(path: "animation.gif")
      try TinyGIF.animation(reds: [200, 10]).write(to: animation)
      let run = try await CommandRun("info", photo.path(), animation.path())
      #expect(run.output.contains(", Canon R5, Ann[2J\n"))
      #expect(run.output.contains("2 frames, 0."))
      let reports = try await CommandRun("info", photo.path(), "--json").objects()
      #expect(reports.map { $0["camera"] as? String } == ["Canon R5"])
      #expect(reports.allSatisfy { $0.keys.contains("captureDate") && $0.keys.contains("seconds") })
      // A link to a file is found in a folder.
      let links = folder.appending(path: "links")
      try FileManager.default.createDirectory(at: links, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: links.path() + "/a.jpg", withDestinationPath: photo.path())
      let linked = try await CommandRun("info", links.path())
      #expect(linked.output.contains("/a.jpg: jpeg "), "\(linked.output)\(linked.errors)")
    }
  }

  @Test func `a line says what is unusual about an image, and only that`() {
    let size = PixelSize(width: 40, height: 30)
    let turned = ImageInfo(
      format: .jpeg, storedSize: size, orientation: .right, hasAlpha: true, hasColorProfile: true)
    let metadata = ImageMetadata(info: turned, colorProfileName: "Wide", isProgressive: true)
    let line = InfoReport(path: "a.jpg", metadata: metadata).line
    for part in ["30x40", "alpha", "orientation 6", "profile Wide", "progressive"] {
      #expect(line.contains(part), "\(line)")
    }
    let plain = ImageMetadata(info: ImageInfo(format: .jpeg, storedSize: size))
    #expect(InfoReport(path: "a.jpg", metadata: plain).line == "a.jpg: jpeg 40x30, 8-bit rgb")
  }

  @Test func `lens, exposure, day and place are printed`() async throws {
    try await withOrigin { _, folder in
      let photo = try Photos.data("rocket.jpg")
      let packet = """
        http://ns.adobe.com/xap/1.0/\0<x:xmpmeta><rdf:Description exif:GPSLatitude="52,31.2N" aux:Lens="50mm"\
         xmp:CreateDate="2023-02-03T04:05:06"/></x:xmpmeta>
        """
      let count = packet.utf8.count + 2
      let file = folder.appending(path: "a.jpg")
      try
        (photo.prefix(2) + Data([0xFF, 0xE1, UInt8(count >> 8), UInt8(count & 255)]) + Data(packet.utf8)
        + photo.dropFirst(2)).write(to: file)
      let cache = ["--cache-dir", folder.path() + "/c"]
      let run = try await CommandRun(["info", file.path()] + cache)
      #expect(run.output.contains(", 50mm, 2023-02-03 04:05:06, with a place\n"), "\(run.output)")
      let report = try #require(try await CommandRun(["info", file.path(), "--json"] + cache).objects().first)
      #expect(report["place"] as? Bool == true && report["lens"] as? String == "50mm" && report["exposure"] is NSNull)
    }
  }

  @Test func `each format has one line`() async throws {
    let run = try await CommandRun("formats")
    #expect(run.status == 0)
    #expect(run.output.contains("png: read, animations, write\n"))
    #expect(run.output.contains("heic: read\n"))
    let formats = try await CommandRun("formats", "--json").objects()
    #expect(formats.count == run.output.split(separator: "\n").count)
    let heic = try #require(formats.first { $0["format"] as? String == "heic" })
    #expect(["reads", "animates", "writes"].map { heic[$0] as? Bool } == [true, false, false])
  }
}
