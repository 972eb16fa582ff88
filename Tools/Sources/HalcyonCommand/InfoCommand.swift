import ArgumentParser
import Foundation
import Halcyon

/// `halcyon info`: prints the properties of images, one line each.
struct InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Shows format, size, orientation and colour of images.",
    discussion: "Continues after an image that cannot be read, and then exits with status 1.")

  @Argument(help: "URLs, files, or folders, which are searched recursively.")
  var sources: [String]

  @Flag(help: "Decode each image fully, and report the time and the peak memory.")
  var decode = false

  @Flag(help: "Print one JSON object per line.")
  var json = false

  @OptionGroup var cache: CacheOptions

  func run() async throws {
    let pipeline = cache.pipeline()
    var hasFailed = false
    for source in sources.flatMap(Self.files) {
      let report = await report(on: source, pipeline: pipeline)
      hasFailed = hasFailed || report.error != nil
      print(json ? try JSONLine.encode(report) : report.line)
      // A piped reader gets each line at once.
      fflush(nil)
    }
    await pipeline.cache.flush()
    if hasFailed { throw ExitCode.failure }
  }

  private func report(on source: String, pipeline: ImagePipeline) async -> InfoReport {
    var report = InfoReport(path: source)
    var request = ImageRequest(source: .string(SourceURL.resolve(source)))
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

  /// The files below a folder, recursively and sorted by path; any other source unchanged.
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

/// The growth of the process's peak memory since the meter was created; on Linux only.
private struct PeakMemory {
  private let start: Int?

  init() {
    // Resets the peak to the current resident size (proc(5), clear_refs).
    FileHandle(forWritingAtPath: "/proc/self/clear_refs")?.write(Data("5".utf8))
    start = Self.status("VmRSS:")
  }

  /// The peak in bytes above the size at the start; `nil` where `/proc` is not available.
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
