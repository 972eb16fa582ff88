import Foundation
import HalcyonCodecs
import HalcyonGTK

/// A picture of 1000×1000 pixels set 100 times into views of 100×100, decoded at the size of the views and at its own.
///
/// Each measurement runs in a process of its own, so that it begins with the memory of an empty window.
@MainActor
struct SizingBenchmark {
  /// The first argument of a process that measures once.
  static let command = "set-100-times"

  /// What one process measures.
  private struct Figures {
    var milliseconds: Double
    var processorMilliseconds: Double
    /// The resident memory added by the images while they are shown, and at the peak.
    var megabytes: Double
    var peakMegabytes: Double
  }

  private static let (viewCount, side, pictureSide) = (100, 100, 1000)
  /// Processes for each figure, of which the median is reported.
  private static let roundCount = 5

  private let url: URL

  /// - Parameter url: The picture, of any size.
  init(_ url: URL) {
    self.url = url
  }

  func run() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "halcyon-bench-\(UUID().uuidString).jpg")
    try await encodedPicture().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    for (name, pictures) in [("one_picture", "one"), ("100_pictures", "many")] {
      let downsampled = try await figures("view", pictures, file)
      let original = try await figures("original", pictures, file)
      for (name, figures) in [("\(name).downsampled", downsampled), ("\(name).original", original)] {
        Metrics.print("views.set_100_times.\(name).time", figures.milliseconds, "ms")
        Metrics.print("views.set_100_times.\(name).processor", figures.processorMilliseconds, "ms")
        Metrics.print("views.set_100_times.\(name).memory", figures.megabytes, "MB")
        Metrics.print("views.set_100_times.\(name).peak_memory", figures.peakMegabytes, "MB")
      }
      for (figure, path) in [
        ("time", \Figures.milliseconds), ("processor", \.processorMilliseconds), ("peak_memory", \.peakMegabytes),
      ] {
        let ratio = downsampled[keyPath: path] / original[keyPath: path]
        Metrics.print("views.set_100_times.\(name).\(figure)_ratio", ratio, "times", atMost: 1)
      }
    }
  }

  private func encodedPicture() async throws -> Data {
    let size = TargetSize.exact(width: Self.pictureSide, height: Self.pictureSide)
    let pipeline = ImagePipeline { $0.cache = ImageCache(disk: nil) }
    let picture = try await pipeline.image(for: ImageRequest(url: url, size: size))
    return try await picture.encoded(as: .jpeg, quality: 0.85)
  }

  /// The medians of several processes.
  private func figures(_ sizing: String, _ pictures: String, _ file: URL) async throws -> Figures {
    var rounds: [[Double]] = []
    for _ in 0..<Self.roundCount {
      let text = try await OwnProcess.run([Self.command, sizing, pictures, file.path()])
      rounds.append(text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) })
      guard rounds.last?.count == 4 else { throw CocoaError(.fileReadCorruptFile) }
    }
    let medians = (0..<4).map { figure in rounds.map { $0[figure] }.sorted()[Self.roundCount / 2] }
    return Figures(
      milliseconds: medians[0], processorMilliseconds: medians[1], megabytes: medians[2], peakMegabytes: medians[3])
  }

  /// Measures once and prints the figures: from the first `setImage` until the last image is painted.
  ///
  /// - Parameter arguments: `view` or `original`, `one` or `many`, and the path of the picture.
  static func measure(_ arguments: [String]) async throws {
    guard arguments.count == 3 else { throw CocoaError(.fileNoSuchFile) }
    let page = try await Page(count: viewCount, width: side, height: side, columns: 10)
    var options = ImageViewOptions()
    options.sizing = arguments[0] == "view" ? .view : .original
    let url = URL(filePath: arguments[2])
    let pipeline = ImagePipeline { $0.cache = ImageCache(disk: nil) }
    let meter = FrameMeter(page.window)
    // The empty window is painted.
    try await Task.sleep(for: .milliseconds(500))
    Metrics.resetPeak()
    let (memory, processor, start) = (Metrics.megabytes("VmRSS"), Metrics.processTime, ContinuousClock.now)
    var (remaining, lastFrameCount) = (viewCount, 0)
    for (number, picture) in page.pictures.enumerated() {
      let source: ImageSource = arguments[1] == "one" ? .url(url) : .url(url, key: "\(number)")
      picture.hc.setImage(with: ImageRequest(source: source), options: options, pipeline: pipeline) { _ in
        remaining -= 1
        lastFrameCount = meter.frames.count
      }
    }
    while remaining > 0 || meter.frames.count == lastFrameCount { try await Task.sleep(for: .milliseconds(1)) }
    print(
      start.duration(to: .now) / .milliseconds(1), (Metrics.processTime - processor) / .milliseconds(1),
      Metrics.megabytes("VmRSS") - memory, Metrics.megabytes("VmHWM") - memory)
    page.close()
  }
}
