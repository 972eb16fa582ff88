import ArgumentParser
import Foundation
import Halcyon

/// `halcyon info`: what is known about images, one line each.
struct InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Shows format, size, orientation and colour of images.",
    discussion: "Goes on after an image that cannot be read, and then ends with status 1.")

  @Argument(help: "Addresses, files, or folders, which are searched through.")
  var sources: [String]

  @Flag(help: "Decode each image fully, and report the time and the memory that took.")
  var decode = false

  @Flag(help: "Print one JSON object a line.")
  var json = false

  @OptionGroup var cache: CacheOptions

  func run() async throws {
    let pipeline = cache.pipeline()
    var hasFailed = false
    for source in sources.flatMap(Self.files) {
      let report = await report(on: source, pipeline: pipeline)
      hasFailed = hasFailed || report.error != nil
      print(json ? try JSONLine.encode(report) : report.line)
      // Whoever reads along sees each line when it is known.
      fflush(nil)
    }
    await pipeline.cache.flush()
    if hasFailed { throw ExitCode.failure }
  }

  private func report(on source: String, pipeline: ImagePipeline) async -> InfoReport {
    var report = InfoReport(path: source)
    var request = ImageRequest(source: .string(SourceAddress.resolve(source)))
    request.cachePolicy.readsMemory = false
    request.cachePolicy.writesMemory = false
    do throws(ImageError) {
      report.add(try await pipeline.info(for: request))
      if decode {
        let meter = PeakMemory()
        let start = ContinuousClock.now
        _ = try await pipeline.image(for: request)
        report.milliseconds = start.duration(to: .now).roundedMilliseconds
        report.peakBytes = meter.peakByteCount()
      }
    } catch {
      report.error = error.description
    }
    return report
  }

  /// The files below a folder in the order of their names; anything else as it is.
  private static func files(_ source: String) -> [String] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: source, isDirectory: &isFolder), isFolder.boolValue else {
      return [source]
    }
    let names = FileManager.default.enumerator(atPath: source)?.compactMap { $0 as? String } ?? []
    return names.sorted().map { source.hasSuffix("/") ? source + $0 : source + "/" + $0 }.filter { path in
      FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
    }
  }
}

/// How much memory the process took at most since the meter was made; only where the kernel tells (Linux).
private struct PeakMemory {
  private let start: Int?

  init() {
    // Resets the peak to what is resident now (proc(5), clear_refs).
    FileHandle(forWritingAtPath: "/proc/self/clear_refs")?.write(Data("5".utf8))
    start = Self.status("VmRSS:")
  }

  /// Bytes above those at the start, or `nil` where the kernel does not tell.
  func peakByteCount() -> Int? {
    guard let start, let peak = Self.status("VmHWM:") else { return nil }
    return max(0, peak - start)
  }

  private static func status(_ field: String) -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = text.split(separator: "\n").first(where: { $0.hasPrefix(field) }),
      let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
    else { return nil }
    return kilobytes * 1024
  }
}
