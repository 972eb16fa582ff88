import Foundation
import Halcyon
import Synchronization

/// The output of `halcyon convert --json` for one converted file.
struct ConversionReport: Encodable {
  let source: String
  let output: String
  let format: String
  let width: Int
  let height: Int
  let sourceFormat: String
  let sourceWidth: Int
  let sourceHeight: Int
  let sourceBytes: Int
  /// `nil` in a dry run.
  var outputBytes: Int?
  let frames: Int
  /// 1 where only the first frame of an animation is in the output.
  var outputFrames: Int?
  /// Whether the source was cut or damaged, and only a part of it is in the output.
  var partial = false
  /// Whether pixels may be wrong, as a scan of the source is damaged.
  var damaged = false
  /// Whether the high dynamic range of the source was to be kept, and is not in the output.
  var withoutRange = false
  /// Whether the pixels were encoded again.
  var encoded = true
  let milliseconds: Double

  init(
    _ image: SourceImage, output: String, _ format: ImageFormat, _ size: PixelSize, start: ContinuousClock.Instant
  ) {
    source = image.file.path
    self.output = output
    self.format = format.rawValue
    (width, height) = (size.width, size.height)
    sourceFormat = image.format.rawValue
    (sourceWidth, sourceHeight) = (image.info.pixelSize.width, image.info.pixelSize.height)
    sourceBytes = image.bytes.count
    frames = image.info.frameCount
    milliseconds = start.duration(to: .now).roundedMilliseconds
  }

  /// Whether the output has only the first frame of an animation.
  var isStill: Bool { frames > 1 && outputFrames == 1 }

  var line: String {
    let part = (partial ? ", partial" : "") + (damaged ? ", damaged" : "") + (withoutRange ? ", without its range" : "")
    let first = frames > 1 ? isStill ? ", first of \(frames) frames" : ", \(frames) frames" : ""
    let kept = encoded ? "" : ", not encoded again"
    let bytes = outputBytes.map { "\(sourceBytes) -> \($0) bytes, \(milliseconds) ms" } ?? "\(sourceBytes) bytes"
    return """
      \(source) -> \(output): \(sourceFormat) \(sourceWidth)x\(sourceHeight)\(first)\(part) -> \(format) \
      \(width)x\(height)\(kept), \(bytes)
      """
  }
}

/// The output of `halcyon convert --json` for a file that was not converted.
struct UnconvertedReport: Encodable {
  let source: String
  var error: String?
  /// The existing output.
  var exists: String?
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

  /// What is printed.
  struct Style {
    var isJSON = false
    var isVerbose = false
    /// Whether only errors are.
    var isQuiet = false
    var isDryRun = false
    /// Whether standard output gets the image, so that what is printed goes to standard error.
    var isImageOnOutput = false
  }

  private let state = Mutex(State())
  private let style: Style

  init(_ style: Style) { self.style = style }

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
      if !style.isQuiet { state.bar.show(state.counts) }
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
    if style.isQuiet { return }
    let summary = counts.summary(elapsed: elapsed, isDryRun: style.isDryRun)
    if isInterrupted {
      StandardError.write("Stopped. \(summary) Repeat the command to go on.")
    } else if !style.isJSON {
      show(summary)
    }
  }

  /// Prints a line.
  private func show(_ line: String) {
    if style.isImageOnOutput { StandardError.write(line) } else { StandardOutput.write(line) }
  }

  /// Counts an event; returns the lines to print.
  private func count(_ event: FileRun<Conversion.Outcome>.Event, _ state: inout State) -> (
    output: String?, error: String?
  ) {
    switch event {
    case .outcome(_, .converted(let report)):
      state.counts.add(report)
      let isShown = style.isVerbose || style.isDryRun && !style.isQuiet
      return (style.isJSON ? JSONLine.text(report) : isShown ? report.line : nil, nil)
    case .outcome(let file, .exists(let output)):
      state.counts.existing += 1
      if style.isJSON { return (JSONLine.text(UnconvertedReport(source: file.path, exists: output)), nil) }
      return (style.isVerbose ? "\(file.path): \(output) exists" : nil, nil)
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
      if style.isJSON { return (JSONLine.text(UnconvertedReport(source: path, error: text)), nil) }
      if !style.isVerbose, let reason = ConversionError.commonReason(of: error) {
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
    if report.partial { partial += 1 }
    if report.damaged { damaged += 1 }
    if report.withoutRange { withoutRange += 1 }
    if report.isStill { stills += 1 }
    if !report.encoded { rewritten += 1 }
    sourceBytes += report.sourceBytes
    outputBytes += report.outputBytes ?? 0
    output = report.output
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
