import Foundation
import Halcyon
import Synchronization

/// A converted file.
struct ConversionReport {
  let image: SourceImage
  let output: String
  let format: ImageFormat
  let size: PixelSize
  /// `nil` in a dry run.
  let made: Conversion.Made?
  let milliseconds: Double

  /// Whether the output has only the first frame of an animation.
  var isStill: Bool { image.info.frameCount > 1 && made?.frameCount == 1 }

  /// The output of `halcyon convert --json`.
  var json: String {
    let (source, result) = (image.info.pixelSize, made ?? Conversion.Made(data: Data(), size: size))
    return JSONLine.text([
      "source": image.file.path, "output": output, "format": format.rawValue, "width": size.width,
      "height": size.height, "sourceFormat": image.format.rawValue, "sourceWidth": source.width,
      "sourceHeight": source.height, "sourceBytes": image.bytes.count, "outputBytes": made?.data.count,
      "frames": image.info.frameCount, "outputFrames": made?.frameCount, "partial": result.isPartial,
      "damaged": result.isDamaged, "withoutRange": result.isWithoutRange, "encoded": result.isEncoded,
      "milliseconds": milliseconds,
    ])
  }

  var line: String {
    let frames = image.info.frameCount
    let first = frames > 1 ? isStill ? ", first of \(frames) frames" : ", \(frames) frames" : ""
    var (part, kept, bytes) = ("", "", "\(image.bytes.count) bytes")
    if let made {
      part = (made.isPartial ? ", partial" : "") + (made.isDamaged ? ", damaged" : "")
      part += made.isWithoutRange ? ", without its range" : ""
      kept = made.isEncoded ? "" : ", not encoded again"
      bytes = "\(image.bytes.count) -> \(made.data.count) bytes, \(milliseconds) ms"
    }
    return """
      \(image.file.path) -> \(output): \(image.format.rawValue) \(image.info.pixelSize)\(first)\(part) -> \
      \(format.rawValue) \(size)\(kept), \(bytes)
      """
  }
}

/// Prints what happens during a run of `halcyon convert`, and counts it.
final class ConversionLog: Sendable {
  struct Counts {
    var converted = 0
    var existing = 0
    var notImages = 0
    var failed = 0
    /// The converted images of which only a part could be decoded.
    var partial = 0
    /// The converted images of which pixels may be wrong.
    var damaged = 0
    /// The converted images that should have kept their high dynamic range.
    var withoutRange = 0
    /// Animations of which only the first frame was converted.
    var stills = 0
    /// Files whose pixels were not encoded again.
    var rewritten = 0
    /// Folders in folders that were not searched.
    var skippedFolders = 0
    /// Links in folders to files that do not exist.
    var danglingLinks = 0
    var sourceBytes = 0
    var outputBytes = 0
    /// The path of the last output.
    var output = ""
    /// The number of files, once they have been counted.
    var total: Int?

    var finished: Int { converted + existing + notImages + danglingLinks + skippedFolders + failed }
  }

  private struct State {
    var counts = Counts()
    var bar = ProgressBar()
    /// The first file of each reason that several errors have in common, and how many more there were.
    var repeated: [String: (first: String, more: Int)] = [:]
  }

  private let state = Mutex(State())
  private let command: ConvertCommand
  /// Whether standard output gets the image, so that what is printed goes to standard error.
  private let isImageOnOutput: Bool

  init(_ conversion: Conversion) {
    command = conversion.command
    if case .standardOutput = conversion.destination {
      isImageOnOutput = !command.dryRun
    } else {
      isImageOnOutput = false
    }
  }

  var counts: Counts { state.withLock { $0.counts } }

  func setTotal(_ total: Int) { state.withLock { $0.counts.total = total } }

  /// Clears the progress bar, or leaves it if a signal ended the run.
  private func end(isInterrupted: Bool) {
    state.withLock { state in
      if isInterrupted { state.bar.interrupt() } else { state.bar.clear() }
    }
  }

  func record(_ event: FileRun<Conversion.Outcome>.Event) {
    state.withLock { state in
      let texts = count(event, &state)
      if texts.output != nil || texts.error != nil { state.bar.clear() }
      if let output = texts.output { show(output) }
      if let error = texts.error { StandardError.write(error) }
      if !command.quiet { state.bar.show(state.counts) }
    }
  }

  /// Prints how many errors were like another one.
  private func showRepeated() {
    let repeated = state.withLock { $0.repeated.values.filter { $0.more > 0 } }
    for (first, more) in repeated.sorted(by: { $0.first < $1.first }) {
      StandardError.write(
        "Error: \(more.counted("more file")) failed for the same reason as \(first). List them with --verbose.")
    }
  }

  /// Prints the last lines.
  func showEnd(elapsed: Duration, isInterrupted: Bool) {
    end(isInterrupted: isInterrupted)
    showRepeated()
    if command.quiet { return }
    let summary = counts.summary(elapsed: elapsed, isDryRun: command.dryRun)
    if isInterrupted {
      StandardError.write("Stopped. \(summary) Repeat the command to go on.")
    } else if !command.json {
      show(summary)
    }
  }

  /// Prints a line.
  private func show(_ line: String) {
    if isImageOnOutput { StandardError.write(line) } else { StandardOutput.write(line) }
  }

  /// Counts an event; returns the lines to print.
  private func count(_ event: FileRun<Conversion.Outcome>.Event, _ state: inout State) -> (
    output: String?, error: String?
  ) {
    switch event {
    case .outcome(_, .converted(let report)):
      state.counts.add(report)
      let isShown = command.verbose || command.dryRun && !command.quiet
      return (command.json ? report.json : isShown ? report.line : nil, nil)
    case .outcome(let file, .exists(let output)):
      state.counts.existing += 1
      if command.json { return (JSONLine.text(["source": file.path, "exists": output]), nil) }
      return (command.verbose ? "\(file.path): \(output) exists" : nil, nil)
    case .outcome(_, .notAnImage):
      state.counts.notImages += 1
      return (nil, nil)
    case .danglingLink:
      state.counts.danglingLinks += 1
      return (nil, nil)
    case .skippedFolder:
      state.counts.skippedFolders += 1
      return (nil, nil)
    case .failure(let path, let error):
      state.counts.failed += 1
      let text = Advice.describe(error)
      if command.json { return (JSONLine.text(["source": path, "error": text]), nil) }
      if !command.verbose, let reason = ConversionError.commonReason(of: error) {
        if state.repeated[reason] != nil {
          state.repeated[reason]?.more += 1
          return (nil, nil)
        }
        state.repeated[reason] = (path, 0)
      }
      return (nil, "Error: " + (path.isEmpty || text.contains(path) ? text : "\(path): \(text)"))
    }
  }
}

extension ConversionLog.Counts {
  mutating func add(_ report: ConversionReport) {
    converted += 1
    sourceBytes += report.image.bytes.count
    output = report.output
    guard let made = report.made else { return }
    if made.isPartial { partial += 1 }
    if made.isDamaged { damaged += 1 }
    if made.isWithoutRange { withoutRange += 1 }
    if report.isStill { stills += 1 }
    if !made.isEncoded { rewritten += 1 }
    outputBytes += made.data.count
  }

  /// The last line of a run.
  func summary(elapsed: Duration, isDryRun: Bool) -> String {
    var parts = ["\(isDryRun ? "Would convert" : "Converted") \(converted.counted("file"))"]
    if converted > 0, !isDryRun {
      let seconds = (elapsed.roundedMilliseconds / 100).rounded() / 10
      parts[0] += " in \(seconds) s, \(Self.bytes(sourceBytes)) -> \(Self.bytes(outputBytes))"
    }
    if converted == 1, output != "-" { parts[0] += ": \(output)" }
    if rewritten > 0 { parts.append("\(rewritten) not encoded again") }
    if stills > 0 { parts.append("of \(stills.counted("animation")) only the first frame") }
    if partial > 0 { parts.append("\(partial) only partly, as the source is cut or damaged") }
    if damaged > 0 { parts.append("\(damaged) with pixels that may be wrong, as the source is damaged") }
    if withoutRange > 0 { parts.append("\(withoutRange) without \(withoutRange == 1 ? "its" : "their") range") }
    if existing > 0 {
      parts.append("\(isDryRun ? "would leave" : "left") \(existing) that \(existing == 1 ? "exists" : "exist")")
    }
    if notImages > 0 {
      parts.append(
        "skipped \(notImages.counted("file that is not an image", plural: "files that are not images"))")
    }
    if danglingLinks > 0 {
      parts.append("skipped \(danglingLinks.counted("link to a missing file", plural: "links to missing files"))")
    }
    if skippedFolders > 0 { parts.append("left out \(skippedFolders.counted("folder")), which -r searches") }
    if failed > 0 { parts.append("\(failed) failed") }
    return parts.joined(separator: "; ") + "."
  }

  private static func bytes(_ count: Int) -> String {
    ByteCountFormatter.string(fromByteCount: Int64(count), countStyle: .file)
  }

}

extension ProgressBar {
  /// Shows how many files a conversion has finished.
  fileprivate mutating func show(_ counts: ConversionLog.Counts) {
    let failed = counts.failed > 0 ? ", \(counts.failed) failed" : ""
    if let total = counts.total {
      show(fraction: Double(counts.finished) / Double(max(1, total)), "\(counts.finished) of \(total)\(failed)")
    } else {
      show(fraction: nil, "\(counts.finished.counted("file"))\(failed)")
    }
  }
}
