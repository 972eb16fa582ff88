#if SVG && (os(macOS) || os(Linux))
import Foundation
import HalcyonImaging
import HalcyonSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

/// A real helper, and others that misbehave.
@Suite(.integrationTest, .fixtureFonts)
struct IsolatedSVGDecoderTests {
  private static let document = Data("<svg xmlns='http://www.w3.org/2000/svg' width='4' height='2'/>".utf8)

  private static func decoder(_ script: String, seconds: Double = 600) -> IsolatedSVGDecoder {
    var limits = IsolatedSVGDecoder.Limits()
    limits.duration = .seconds(seconds)
    return IsolatedSVGDecoder(helper: URL(filePath: "/bin/sh"), arguments: ["-c", script], limits: limits)
  }

  #if os(Linux)
  @Test(arguments: [TargetSize.original, .fit(width: 90, height: 90), .fill(width: 7, height: 9, anchor: .right)])
  func `a helper draws the pixels of a drawing in the same process`(_ size: TargetSize) throws {
    let program = try #require(Bundle.main.executableURL).deletingLastPathComponent()
      .appending(path: "halcyon-svg-helper")
    let file = Data(
      """
      <svg xmlns='http://www.w3.org/2000/svg' width='40' height='20'><rect width='20' height='20' fill='red'/>\
      <circle cx='30' cy='10' r='8' fill='blue' opacity='.5'/><text y='15' font-size='12'>Ag</text></svg>
      """.utf8)
    let decoder = IsolatedSVGDecoder(helper: program)
    let image = try decoder.decode(file, options: DecodingOptions(size: size))
    let direct = try SVGDecoder().decode(file, options: DecodingOptions(size: size))
    #expect(image.info == direct.info && image.size == direct.size)
    #expect(image.bitmap.largestDifference(to: direct.bitmap) == 0)
    #expect(throws: ImageDecodingError.unsupportedFeature(.svg, feature: "letters of over 32000 units or pixels")) {
      let large = String(decoding: file, as: UTF8.self).replacing("'12'", with: "'40000'")
      return try decoder.decode(Data(large.utf8), options: DecodingOptions())
    }
  }
  #endif

  #if os(Linux)
  @Test func `a helper reads no file but those of the system and its fonts`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "halcyon-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "secret").path
    try Data("secret".utf8).write(to: URL(filePath: file))
    let errors = Lock<[String: Int32]?>(nil)
    let end = DispatchSemaphore(value: 0)
    // What is forbidden stays so, for the thread.
    Thread.start(named: "confined", stackSize: 1 << 20) {
      defer { end.signal() }
      // The kernel may lack it.
      guard SVGHelperFiles.confine(for: Data("<svg><text>a</text></svg>".utf8)) else { return }
      func error(_ path: String, _ flags: Int32 = O_RDONLY) -> Int32 {
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { return errno }
        close(descriptor)
        return 0
      }
      let refused = [file, "/etc/passwd", "/proc/self/root" + file].map { ($0, error($0)) }
      let written = [(file + ".new", error(file + ".new", O_WRONLY | O_CREAT))]
      let found = Dictionary(uniqueKeysWithValues: refused + written + [("/usr", error("/usr"))])
      errors.withLock { $0 = found }
    }
    end.wait()
    guard let found = errors.withLock({ $0 }) else { return }
    for (path, error) in found { #expect(error == (path == "/usr" ? 0 : EACCES), "\(path)") }
  }
  #endif

  #if os(Linux)
  @Test func `a confined helper signals itself and no other process`() async {
    await #expect(processExitsWith: .success) {
      // It ends with this process.
      let (other, input) = (Process(), Pipe())
      other.executableURL = URL(filePath: "/bin/cat")
      other.standardInput = input
      guard (try? other.run()) != nil else { exit(1) }
      let child = other.processIdentifier
      // The kernel may lack what the rest of it needs.
      _ = IsolatedSVGDecoder.confine(for: Data())
      for target in [child, -1, 0, getppid()] {
        guard kill(target, 0) == -1, errno == EPERM else { exit(2) }
      }
      guard sigqueue(child, 0, sigval()) == -1, errno == EPERM else { exit(3) }
      guard kill(getpid(), 0) == 0, raise(0) == 0 else { exit(4) }
      exit(0)
    }
  }

  @Test func `a program learns from its helper that it draws, and whether it is confined`() throws {
    let program = try #require(Bundle.main.executableURL).deletingLastPathComponent()
      .appending(path: "halcyon-svg-helper")
    var real = IsolatedSVGDecoder(helper: program)
    _ = try real.checkHelper()
    #expect(try real.decode(Self.document, options: DecodingOptions()).size.width == 4)
    // Where a filter of the system ends helpers that confine themselves, this one does not any more.
    let script = """
      read request; case $request in *'"isConfined":true'*) kill -SYS $$;; esac
      case $request in *'"outputWidth":1,'*) count=4;; *) count=32;; esac; echo '{"isConfined":false}'; printf %0${count}d 0
      """
    var refused = Self.decoder(script)
    #expect(throws: ImageDecodingError.self) { try refused.decode(Self.document, options: DecodingOptions()) }
    #expect(try !refused.checkHelper())
    #expect(try refused.decode(Self.document, options: DecodingOptions()).size.width == 4)
    for helper in ["/nonexistent", "/bin/true"] {
      var decoder = IsolatedSVGDecoder(helper: URL(filePath: helper))
      #expect(throws: (any Error).self) { try decoder.checkHelper() }
    }
  }
  #endif

  @Test func `a helper that does not end is killed when its time is over`() throws {
    let error = ImageDecodingError.unsupportedFeature(.svg, feature: "a drawing that takes over 0.1 seconds")
    #expect(throws: error) {
      try Self.decoder("exec sleep 10000", seconds: 0.1).decode(Self.document, options: DecodingOptions())
    }
    // The helper has closed its output, but does not end.
    #expect(throws: error) {
      try Self.decoder("exec sleep 10000 >&-", seconds: 0.1).decode(Self.document, options: DecodingOptions())
    }
  }

  @Test(
    arguments: [
      ("head -c 5000 /dev/zero", nil), ("head -c 5000 /dev/zero; exit 3", nil),
      ("head -c 5001 /dev/zero", .corrupt(.svg, reason: "its helper process wrote over 5000 bytes")),
      ("kill -XCPU $$", .unsupportedFeature(.svg, feature: "a drawing that takes over 10 seconds of CPU time")),
      ("kill -KILL $$", .unsupportedFeature(.svg, feature: "a drawing that takes over 10 seconds of CPU time")),
      (
        "kill -SEGV $$",
        .unsupportedFeature(
          .svg,
          feature: "a drawing that ends its helper process with signal 11, or takes over 2147483648 bytes of memory")
      ),
    ] as [(String, ImageDecodingError?)])
  func `the output of a process is read to its end within a limit`(_ script: String, _ error: ImageDecodingError?)
    throws
  {
    func byteCount() throws -> Int {
      let process = try SVGHelperProcess(URL(filePath: "/bin/sh"), ["-c", script], input: Data())
      return try process.output(byteLimit: 5000, limits: IsolatedSVGDecoder.Limits(), isCancelled: { false }).count
    }
    if let error { #expect(throws: error) { try byteCount() } } else { #expect(try byteCount() == 5000) }
  }

  #if os(Linux)
  @Test func `helpers that have ended leave no pipe open`() throws {
    let (count, before) = (200, try Self.openPipeCount())
    for _ in 0..<count { _ = try? Self.decoder("true").decode(Self.document, options: DecodingOptions()) }
    // Tests that run at the same time open some pipes.
    #expect(try Self.openPipeCount() < before + count / 2)
  }

  private static func openPipeCount() throws -> Int {
    let (files, folder) = (FileManager.default, "/proc/self/fd")
    // Some descriptors are closed while they are listed.
    let targets = try files.contentsOfDirectory(atPath: folder).compactMap {
      try? files.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
    }
    return targets.count { $0.hasPrefix("pipe:") }
  }
  #endif

  #if os(Linux)
  @Test func `a program without descriptors gets an error, and draws when it has some again`() async {
    await #expect(processExitsWith: .success) {
      let document = Data("<svg xmlns='http://www.w3.org/2000/svg' width='4' height='2'/>".utf8)
      let script = "cat >/dev/null; echo '{}'; printf %032d 0"
      let decoder = IsolatedSVGDecoder(helper: URL(filePath: "/bin/sh"), arguments: ["-c", script])
      var files: [Int32] = []
      var limit = rlimit(rlim_cur: 64, rlim_max: 64)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      // With no free descriptor, and with too few. Another thread of the program may close descriptors meanwhile.
      for count in [0, 1, 2] {
        var failure: (any Error)?
        for _ in 0..<100 where failure == nil {
          while case let file = open("/dev/null", O_RDONLY), file >= 0 { files.append(file) }
          for _ in 0..<count { close(files.removeLast()) }
          do { _ = try decoder.decode(document, options: DecodingOptions()) } catch { failure = error }
        }
        guard let failure else { exit(1) }
        guard let code = (failure as? POSIXError)?.code else { exit(2) }
        guard code == .EMFILE else { exit(3) }
      }
      for file in files { close(file) }
      guard let image = try? decoder.decode(document, options: DecodingOptions()) else { exit(4) }
      exit(image.size.width == 4 ? 0 : 5)
    }
  }

  @Test func `a helper that was killed or has ended is no child any more`() async {
    await #expect(processExitsWith: .success) {
      let document = Data("<svg xmlns='http://www.w3.org/2000/svg' width='4' height='2'/>".utf8)
      var limits = IsolatedSVGDecoder.Limits()
      for (script, seconds) in [("exec sleep 10000", 0.05), ("true", 60), ("cat /dev/zero", 60)] {
        limits.duration = .seconds(seconds)
        let decoder = IsolatedSVGDecoder(helper: URL(filePath: "/bin/sh"), arguments: ["-c", script], limits: limits)
        guard (try? decoder.decode(document, options: DecodingOptions())) == nil else { exit(1) }
        guard (try? decoder.decode(document, options: DecodingOptions(isCancelled: { true }))) == nil else { exit(2) }
        guard waitpid(-1, nil, WNOHANG) == -1, errno == ECHILD else { exit(3) }
      }
      let missing = IsolatedSVGDecoder(helper: URL(filePath: "/nonexistent"))
      guard (try? missing.decode(document, options: DecodingOptions())) == nil else { exit(4) }
      guard waitpid(-1, nil, WNOHANG) == -1, errno == ECHILD else { exit(5) }
      exit(0)
    }
  }

  /// A pipe that another thread has just opened would otherwise stay open in the helper, and its reader wait for it.
  @Test func `a helper inherits no descriptors`() throws {
    let file = open("/dev/null", O_RDONLY)
    defer { close(file) }
    let script = "[ -e /proc/self/fd/\(file) ] && exit 1; cat >/dev/null; echo '{}'; printf %032d 0"
    #expect(try Self.decoder(script).decode(Self.document, options: DecodingOptions()).size.width == 4)
  }
  #endif

  @Test func `a helper is killed when its drawing is cancelled`() throws {
    let polls = Polls()
    #expect(throws: ImageDecodingError.cancelled) {
      try Self.decoder("exec sleep 10000").decode(
        Self.document, options: DecodingOptions(isCancelled: { polls.next() > 3 }))
    }
  }

  @Test(arguments: ["true", "exit 3", "echo '{}'", "echo '{}'; echo pixels", "cat", "cat /dev/zero"])
  func `output that is not a drawing is an error`(_ script: String) throws {
    #expect(throws: ImageDecodingError.self) {
      try Self.decoder(script).decode(Self.document, options: DecodingOptions())
    }
  }

  @Test func `a helper reads the request, and its pixels and its errors are returned`() throws {
    let draw = "read request; case $request in *cpuSeconds*) ;; *) exit 1;; esac; "
    let image = try Self.decoder(draw + "echo '{}'; printf %032d 0").decode(Self.document, options: DecodingOptions())
    #expect(image.size == PixelSize(width: 4, height: 2) && image.info.format == .svg)
    #expect(image.bitmap[3, 1] == (48, 48, 48, 48))
    #expect(throws: ImageDecodingError.unsupportedFeature(.svg, feature: "all")) {
      try Self.decoder(draw + #"echo '{"feature":"all"}'"#).decode(Self.document, options: DecodingOptions())
    }
  }

  @Test func `limits and the target size are checked before a process is started`() throws {
    let decoder = IsolatedSVGDecoder(helper: URL(filePath: "/nonexistent"))
    #expect(throws: ImageDecodingError.tooManyPixels(PixelSize(width: 4, height: 2), limit: 7)) {
      try decoder.decode(Self.document, options: DecodingOptions(limits: ImageLimits(pixelCount: 7)))
    }
    #expect(try decoder.probe(Self.document, isComplete: true)?.storedSize == PixelSize(width: 4, height: 2))
    let error = #expect(throws: POSIXError.self) { try decoder.decode(Self.document, options: DecodingOptions()) }
    #expect(error?.code == .ENOENT)
  }
}
#endif
