import BenchMetric
import Foundation
import Halcyon
import HalcyonImaging
import PeerShim

/// The time and the quality of downsampling while decoding, compared with libvips on the same bytes; measured
/// alternately.
struct TimeBenchmark {
  private static let widths = [200, 400, 1024]
  private static let roundCount = rounds(5)

  let files: [CorpusFile]

  func run() {
    var results: [TimeResult] = []
    for file in files {
      let full = try? file.decoder.decode(file.bytes, options: DecodingOptions())
      for width in Self.widths where width < file.info.pixelSize.width {
        guard let result = Self.measure(file, width: width, full: full.map { LumaImage($0.bitmap) }) else {
          print("skipped \(file.name) at \(width) pixels: Halcyon or libvips cannot decode it")
          continue
        }
        print(result)
        results.append(result)
      }
    }
    TimeReport(results: results).print()
  }

  private static func measure(_ file: CorpusFile, width: Int, full: LumaImage?) -> TimeResult? {
    guard let bitmap = try? halcyon(file, width: width), let peer = peer(file, width: width) else { return nil }
    // libvips decodes WebP on two threads, Halcyon every format on one.
    let clock: Clock = file.kind == "webp" ? .processor : .standard
    var (own, other): ([Double], [Double]) = ([], [])
    var floors: [Floor: [Double]] = [:]
    for _ in 0..<roundCount {
      own.append(clock.milliseconds { _ = try? halcyon(file, width: width) })
      other.append(clock.milliseconds { thumbnail(file, width: width) })
      for floor in Floor.floors(of: file, width: width) {
        floors[floor, default: []].append(clock.milliseconds { floor.run(file, width: width) })
      }
    }
    let image = LumaImage(bitmap)
    let reference = full?.lanczos(width: image.width, height: image.height)
    return TimeResult(
      file: file, width: width, own: median(own), peer: median(other), floors: floors.mapValues(median),
      similarity: reference.flatMap { image.similarity(to: $0) },
      peerSimilarity: reference.flatMap { peer.similarity(to: $0) })
  }

  private static func halcyon(_ file: CorpusFile, width: Int) throws -> Bitmap {
    try file.decoder.decode(file.bytes, options: DecodingOptions(size: .fit(width: width, height: .max))).bitmap
  }

  private static func peer(_ file: CorpusFile, width: Int) -> LumaImage? {
    var result = peer_image()
    defer { free(result.pixels) }
    return thumbnail(file, width: width, into: &result) ? LumaImage(result) : nil
  }

  /// The measured time includes freeing the pixels, as Halcyon's does.
  private static func thumbnail(_ file: CorpusFile, width: Int) {
    var result = peer_image()
    defer { free(result.pixels) }
    let isDone = thumbnail(file, width: width, into: &result)
    precondition(isDone, "libvips failed at \(file.name), which it decoded before")
  }

  private static func thumbnail(_ file: CorpusFile, width: Int, into result: inout peer_image) -> Bool {
    file.bytes.withUnsafeBytes { bytes in
      peer_thumbnail(
        bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, Int32(width), file.info.hasColorProfile, &result)
    }
  }
}

/// The median times, in milliseconds, and the quality for one file at one width.
private struct TimeResult: CustomStringConvertible {
  let file: CorpusFile
  let width: Int
  let own: Double
  let peer: Double
  let floors: [Floor: Double]
  let similarity: Double?
  let peerSimilarity: Double?

  var ratio: Double { own / peer }

  var similarityDifference: Double? {
    guard let similarity, let peerSimilarity else { return nil }
    return similarity - peerSimilarity
  }

  var description: String {
    let megapixels = String(format: "%.1f", Double(file.pixelCount) / 1e6)
    let times = String(format: "%.1f ms, libvips %.1f ms, ratio %.2f", own, peer, ratio)
    let floors = floors.sorted { $0.key.rawValue < $1.key.rawValue }
      .map { String(format: ", \($0.key.rawValue) %.1f ms", $0.value) }.joined()
    let quality = similarity.map { String(format: ", SSIM %.4f, libvips %.4f", $0, peerSimilarity ?? .nan) } ?? ""
    return "\(file.name) \(megapixels) MP to \(width): \(times)\(floors)\(quality)"
  }
}

/// The metrics over all files.
private struct TimeReport {
  private static let goals = [
    "jpeg_baseline": 0.52, "jpeg_progressive_200px": 0.40, "jpeg_progressive_400px": 0.52, "png": 0.55, "avif": 0.40,
    "heic": 0.65, "webp": 0.80,
  ]

  private static let libjpegGoals = ["jpeg_baseline_200px": 0.62, "jpeg_progressive_200px": 0.2]

  let results: [TimeResult]

  func print() {
    for kind in Set(results.map(\.file.kind)).sorted() {
      let group = results.filter { $0.file.kind == kind }
      ratio(group, name: kind, goal: Self.goals[kind])
      for width in Set(group.map(\.width)).sorted() {
        ratio(
          group.filter { $0.width == width }, name: "\(kind)_\(width)px",
          goal: Self.goals["\(kind)_\(width)px"])
      }
      Metric(name: "\(kind)_worst_to_libvips", value: group.map(\.ratio).max() ?? 0, unit: "ratio").report()
      let differences = group.compactMap(\.similarityDifference)
      if !differences.isEmpty {
        Metric(
          name: "\(kind)_ssim_minus_libvips", value: differences.reduce(0, +) / Double(differences.count), unit: "SSIM",
          goal: .atLeast(-0.001)
        ).report()
        Metric(name: "\(kind)_ssim_minus_libvips_worst", value: differences.min() ?? 0, unit: "SSIM").report()
      }
    }
    let large = results.filter { $0.file.pixelCount >= 8_000_000 }
    report(large, above: .entropy, name: "jpeg_200px_8mp_and_more_to_entropy", goal: 0.62)
    report(results, above: .entropy, name: "jpeg_200px_to_entropy")
    for kind in ["jpeg_baseline", "jpeg_progressive"] {
      for width in Set(large.map(\.width)).sorted() {
        report(
          large.filter { $0.file.kind == kind && $0.width == width }, above: .libjpeg,
          name: "\(kind)_\(width)px_8mp_and_more_to_libjpeg_alone", goal: Self.libjpegGoals["\(kind)_\(width)px"])
      }
    }
    report(results, above: .libwebp, name: "webp_to_libwebp_alone", goal: 1.40)
    let floors = results.compactMap { result in result.floors[.libwebp].map { $0 / result.peer } }
    guard !floors.isEmpty else { return }
    Metric(name: "libwebp_alone_to_libvips", value: geometricMean(floors), unit: "ratio").report()
    Metric(name: "libwebp_alone_worst_to_libvips", value: floors.max() ?? 0, unit: "ratio").report()
  }

  private func report(_ group: [TimeResult], above floor: Floor, name: String, goal: Double? = nil) {
    let ratios = group.compactMap { result in result.floors[floor].map { result.own / $0 } }
    guard !ratios.isEmpty else { return }
    Metric(name: name, value: geometricMean(ratios), unit: "ratio", goal: goal.map { .atMost($0) }).report()
  }

  private func ratio(_ group: [TimeResult], name: String, goal: Double?) {
    Metric(
      name: "\(name)_to_libvips", value: geometricMean(group.map(\.ratio)), unit: "ratio",
      goal: goal.map { .atMost($0) }
    ).report()
  }

  private func geometricMean(_ values: [Double]) -> Double {
    exp(values.map { log($0) }.reduce(0, +) / Double(values.count))
  }
}
