import ArgumentParser
import Foundation
import Halcyon

/// `halcyon info`: prints the properties of images, one line each.
struct InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Shows format, size, colour, camera and other metadata of images.",
    discussion: """
      Files in folders that are not images are skipped. Continues after an image that cannot be read, and then exits \
      with status 1.
      """)

  @Argument(help: "URLs, files, or folders, which are searched recursively.")
  var sources: [String]

  @Flag(help: "Decode each image fully, and report the time and the peak memory.")
  var decode = false

  @Flag(help: "Print one JSON object per line.")
  var json = false

  @OptionGroup var options: PipelineOptions

  func run() async throws {
    let pipeline = options.pipeline()
    try await Interruption.run(with: pipeline) { try await reportAll(with: pipeline) }
  }

  private func reportAll(with pipeline: ImagePipeline) async throws {
    var hasFailed = false
    var skippedCount = 0
    for (source, isInFolder) in sources.flatMap(Self.files) {
      let report = await report(on: source, isInFolder: isInFolder, pipeline: pipeline)
      try Task.checkCancellation()
      guard let report else {
        skippedCount += 1
        continue
      }
      hasFailed = hasFailed || report.error != nil
      print(json ? try JSONLine.encode(report) : report.line)
      // A piped reader gets each line at once.
      fflush(nil)
    }
    await pipeline.cache.flush()
    if skippedCount > 0 {
      StandardError.write(
        "Skipped \(skippedCount) \(skippedCount == 1 ? "file that is" : "files that are") not an image.")
    }
    if hasFailed { throw ExitCode.failure }
  }

  /// Returns `nil` for a file in a folder that is not an image.
  private func report(on source: String, isInFolder: Bool, pipeline: ImagePipeline) async -> InfoReport? {
    var report = InfoReport(path: source)
    var request = ImageRequest(source: .string(SourceURL.resolve(source)))
    request.cachePolicy.readsMemory = false
    request.cachePolicy.writesMemory = false
    do throws(ImageError) {
      report.add(try await pipeline.metadata(for: request))
      if decode {
        let meter = PeakMemory()
        let start = ContinuousClock.now
        _ = try await pipeline.image(for: request)
        report.milliseconds = start.duration(to: .now).roundedMilliseconds
        report.peakBytes = meter.peakByteCount()
      }
    } catch {
      switch error {
      case .notAnImage where isInFolder, .emptyResponse where isInFolder: return nil
      default: report.error = Advice.describe(error)
      }
    }
    return report
  }

  /// The files below a folder, recursively and sorted by path; any other source unchanged.
  private static func files(_ source: String) -> [(path: String, isInFolder: Bool)] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: source, isDirectory: &isFolder), isFolder.boolValue else {
      return [(source, false)]
    }
    let names = FileManager.default.enumerator(atPath: source)?.compactMap { $0 as? String } ?? []
    return names.sorted().map { source.hasSuffix("/") ? source + $0 : source + "/" + $0 }.filter { path in
      FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
    }.map { ($0, true) }
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
