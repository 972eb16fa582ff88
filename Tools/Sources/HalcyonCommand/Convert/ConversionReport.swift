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
  let outputBytes: Int
  let frames: Int
  /// Whether the source was cut or damaged, and only a part of it is in the output.
  let partial: Bool
  let milliseconds: Double

  init(
    source: String, output: String, image: DecodedImage, format: ImageFormat, sourceBytes: Int, outputBytes: Int,
    elapsed: Duration
  ) {
    self.source = source
    self.output = output
    self.format = format.rawValue
    (width, height) = (image.size.width, image.size.height)
    sourceFormat = image.info.format.rawValue
    (sourceWidth, sourceHeight) = (image.info.pixelSize.width, image.info.pixelSize.height)
    self.sourceBytes = sourceBytes
    self.outputBytes = outputBytes
    frames = image.info.frameCount
    partial = image.isPartial
    milliseconds = elapsed.roundedMilliseconds
  }

  var line: String {
    let part = partial ? ", partial" : ""
    let first = frames > 1 ? ", first of \(frames) frames" : ""
    return """
      \(source) -> \(output): \(sourceFormat) \(sourceWidth)x\(sourceHeight)\(first)\(part) -> \(format) \(width)x\(height), \
      \(sourceBytes) -> \(outputBytes) bytes, \(milliseconds) ms
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
    /// Of the converted ones.
    var partial = 0
    var sourceBytes = 0
    var outputBytes = 0
    /// The number of files, once they have been counted.
    var total: Int?

    var finished: Int { converted + existing + notImages + failed }
  }

  private struct State {
    var counts = Counts()
    var bar = ProgressBar()
  }

  private let state = Mutex(State())
  private let isJSON: Bool
  private let isVerbose: Bool
  /// Whether standard output gets the image, so that what is printed goes to standard error.
  private let isImageOnOutput: Bool

  init(isJSON: Bool, isVerbose: Bool, isImageOnOutput: Bool) {
    self.isJSON = isJSON
    self.isVerbose = isVerbose
    self.isImageOnOutput = isImageOnOutput
  }

  var counts: Counts { state.withLock { $0.counts } }

  func setTotal(_ total: Int) { state.withLock { $0.counts.total = total } }

  /// Clears the progress bar; after a signal leaves it.
  func end(isInterrupted: Bool) {
    state.withLock { state in
      if isInterrupted { state.bar.interrupt() } else { state.bar.clear() }
    }
  }

  func record(_ event: Converter.Event) {
    state.withLock { state in
      let texts = count(event, &state.counts)
      if texts.output != nil || texts.error != nil { state.bar.clear() }
      if let output = texts.output { show(output) }
      if let error = texts.error { StandardError.write(error) }
      state.bar.show(state.counts)
    }
  }

  /// Prints a line.
  func show(_ line: String) {
    if isImageOnOutput { StandardError.write(line) } else { StandardOutput.write(line) }
  }

  /// Counts an event; returns the lines to print.
  private func count(_ event: Converter.Event, _ counts: inout Counts) -> (output: String?, error: String?) {
    switch event {
    case .outcome(_, .converted(let report)):
      counts.converted += 1
      if report.partial { counts.partial += 1 }
      counts.sourceBytes += report.sourceBytes
      counts.outputBytes += report.outputBytes
      return (isJSON ? JSONLine.text(report) : isVerbose ? report.line : nil, nil)
    case .outcome(let file, .exists(let output)):
      counts.existing += 1
      if isJSON { return (JSONLine.text(UnconvertedReport(source: file.path, exists: output)), nil) }
      return (isVerbose ? "\(file.path): \(output) exists" : nil, nil)
    case .outcome(_, .notAnImage):
      counts.notImages += 1
      return (nil, nil)
    case .failure(let path, let error):
      counts.failed += 1
      let text = Advice.describe(error)
      if isJSON { return (JSONLine.text(UnconvertedReport(source: path, error: text)), nil) }
      return (nil, "Error: " + (path.isEmpty || text.contains(path) ? text : "\(path): \(text)"))
    }
  }
}

extension ConversionLog.Counts {
  /// The last line of a run.
  func summary(elapsed: Duration) -> String {
    var parts = ["Converted \(Self.files(converted))"]
    if converted > 0 {
      let seconds = (elapsed.roundedMilliseconds / 100).rounded() / 10
      parts[0] += " in \(seconds) s, \(Self.bytes(sourceBytes)) -> \(Self.bytes(outputBytes))"
    }
    if partial > 0 { parts.append("\(partial) only partly, as the source is cut or damaged") }
    if existing > 0 { parts.append("left \(existing) that \(existing == 1 ? "exists" : "exist")") }
    if notImages > 0 {
      parts.append("skipped \(Self.files(notImages)) that \(notImages == 1 ? "is" : "are") not an image")
    }
    if failed > 0 { parts.append("\(failed) failed") }
    return parts.joined(separator: "; ") + "."
  }

  private static func bytes(_ count: Int) -> String {
    ByteCountFormatter.string(fromByteCount: Int64(count), countStyle: .file)
  }

  private static func files(_ count: Int) -> String { "\(count) \(count == 1 ? "file" : "files")" }
}

extension ProgressBar {
  /// Shows how many files a conversion has finished.
  fileprivate mutating func show(_ counts: ConversionLog.Counts) {
    let failed = counts.failed > 0 ? ", \(counts.failed) failed" : ""
    if let total = counts.total {
      show(fraction: Double(counts.finished) / Double(max(1, total)), "\(counts.finished) of \(total)\(failed)")
    } else {
      show(fraction: nil, "\(counts.finished) files\(failed)")
    }
  }
}
