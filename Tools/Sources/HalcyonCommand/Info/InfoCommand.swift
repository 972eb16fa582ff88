import ArgumentParser
import Foundation
import Halcyon

/// `halcyon info`: prints the properties of images, one line each.
struct InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Shows format, size, colour, camera, exposure, place and other metadata of images.",
    discussion: """
      Files in folders that neither are images nor have the extension of one are skipped. Continues after an image that \
      cannot be read, and then exits with status 1.
      """)

  @Argument(
    help: "URLs, files, folders, which are searched recursively, or - for standard input.", completion: .file())
  var sources: [String]

  @Flag(help: "Decode each image fully, and report the time, the peak memory and damaged data.")
  var decode = false

  @Flag(
    help: """
      Decode each image fully, and print only those that are cut, damaged, or no images in spite of their names. The exit \
      status is 1 if there are any.
      """)
  var broken = false

  @Flag(
    name: .customLong("thumbhash"),
    help: "Print the ThumbHash of each image, a placeholder of about 25 bytes, in base64.")
  var showsThumbHash = false

  @Option(help: "High dynamic range that is decoded: standard, tone-mapped; or keep. Default: standard.")
  var hdr: HDRArgument?

  @Flag(help: "Print one JSON object per line.")
  var json = false

  @OptionGroup var options: PipelineOptions

  func run() async throws {
    let pipeline = try options.pipeline()
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
      let isBroken = report.error != nil || broken && report.isDamaged == true
      hasFailed = hasFailed || isBroken
      if broken, !isBroken { continue }
      StandardOutput.write(json ? try JSONLine.encode(report.fields.mapValues(Optional.some)) : report.line)
    }
    await pipeline.cache.flush()
    if skippedCount > 0 {
      StandardError.write(
        "Skipped \(skippedCount.counted("file that is not an image", plural: "files that are not images")).")
    }
    if hasFailed { throw ExitCode.failure }
  }

  /// Returns `nil` for a file in a folder that is not an image.
  private func report(on source: String, isInFolder: Bool, pipeline: ImagePipeline) async -> InfoReport? {
    var report = InfoReport(path: source)
    do {
      let byteLimit = pipeline.configuration.limits.encodedByteCount
      var request = ImageRequest(source: try await SourceArgument.source(source, byteLimit: byteLimit))
      request.memoryAccess = .disabled
      request.dynamicRange = hdr == .keep ? .high : .standard
      report.metadata = try await pipeline.metadata(for: request)
      if showsThumbHash {
        var small = request
        small.size = .fit(width: 100, height: 100)
        report.thumbHash = ThumbHash(try await pipeline.image(for: small).bitmap)
      }
      if decode || broken {
        let meter = PeakMemory()
        let start = ContinuousClock.now
        report.isDamaged = try await pipeline.image(for: request).isDamaged
        report.milliseconds = start.duration(to: .now).roundedMilliseconds
        report.peakByteCount = meter.peakByteCount()
      }
    } catch {
      switch error {
      case ImageError.notAnImage where isInFolder && !source.hasImageExtension,
        ImageError.emptyResponse where isInFolder && !source.hasImageExtension:
        return nil
      default: report.error = Advice.describe(error, of: source)
      }
    }
    return report
  }

  /// The files below a folder, recursively and sorted by path; any other source unchanged.
  private static func files(_ source: String) -> [(path: String, isInFolder: Bool)] {
    guard OutputFile.isFolder(source) else { return [(source, false)] }
    return files(below: source).sorted().map { ($0, true) }
  }

  /// The paths of all files below a folder, and of folders that cannot be read, which then are reported.
  private static func files(below folder: String) -> [String] {
    guard let names = try? FolderNames(folder) else { return [folder] }
    var paths: [String] = []
    while let entry = names.next() {
      let path = folder.appendingPath(entry.name)
      guard let status = stat(ofPath: path, followsLinks: false) else { continue }
      // A folder that a link leads to may contain the link.
      if status.isFolder {
        paths += files(below: path)
      } else if stat(ofPath: path)?.isRegularFile == true {
        paths.append(path)
      }
    }
    return paths
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
