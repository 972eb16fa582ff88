import ArgumentParser
import Foundation
import Halcyon
import HalcyonCodecs

/// `halcyon compare`: prints how much two images differ.
struct CompareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Compares two images: SSIM, PSNR and a picture of the differences.",
    discussion: """
      Prints the mean structural similarity (SSIM) of the luma: 1 for identical images. Of animations the first frames \
      are compared. Pixels are upright, and in sRGB.

      Examples:
        halcyon compare original.png small.webp --resize
        halcyon compare before.png after.png --threshold 0.98 --output differences.png

      Exit status: 0 if the images were compared; 1 if their similarity is below --threshold; 2 if they could not be \
      compared; 64 for wrong arguments.
      """)

  @Argument(help: "A URL or a file, or - for standard input.", completion: .file())
  var first: String

  @Argument(help: "Another URL or file.", completion: .file())
  var second: String

  @Option(name: .shortAndLong, help: "Write a picture of the differences to this file.", completion: .file())
  var output: String?

  @Flag(help: "Replace that file if it exists.")
  var overwrite = false

  @Option(help: "The factor by which the differences in that picture are enlarged.")
  var gain = 8.0

  @Option(help: "The lowest similarity that is accepted, for example 0.98.")
  var threshold: Double?

  @Flag(help: "Reduce the larger image to the size of the smaller one; the shape may change by a pixel a side.")
  var resize = false

  @Flag(help: "Also print PSNR and the largest difference.")
  var verbose = false

  @Flag(help: "Print one JSON object.")
  var json = false

  @OptionGroup var options: PipelineOptions

  func validate() throws {
    if let threshold, !(0...1).contains(threshold) {
      throw ValidationError("--threshold has to be from 0 to 1, not \(threshold).")
    }
    if !(gain > 0 && gain <= 255) { throw ValidationError("--gain has to be above 0 and at most 255, not \(gain).") }
    if let output { _ = try OutputTarget(output, isFile: true) }
  }

  func run() async throws {
    let pipeline = try options.pipeline()
    try await Interruption.run(with: pipeline) {
      do {
        try await compare(with: pipeline)
      } catch let status as ExitCode {
        throw status
      } catch {
        try Task.checkCancellation()
        StandardError.write("Error: \(Advice.describe(error, of: first, second))")
        throw ExitCode(2)
      }
    }
  }

  private func compare(with pipeline: ImagePipeline) async throws {
    if let output { try OutputFile.check(output, overwrites: overwrite) }
    let (one, two) = try await images(with: pipeline)
    let difference = ImageDifference(one, two)
    let isBelow = threshold.map { difference.similarity < $0 } ?? false
    try report(difference, size: one.size, isBelow: isBelow)
    if let output, case .file(let path, let format) = try OutputTarget(output) {
      let picture = DecodedImage(bitmap: try one.difference(from: two, gain: gain))
      let data = try await picture.encoded(as: format ?? .png, quality: 0.9)
      try OutputFile.write(data, toNamed: path, overwrites: overwrite)
    }
    await pipeline.cache.flush()
    if isBelow { throw ExitCode.failure }
  }

  private func report(_ difference: ImageDifference, size: PixelSize, isBelow: Bool) throws {
    // Never rounded up to 1.
    let similarity = (difference.similarity * 1e6).rounded(.down) / 1e6
    let noise = difference.peakSignalToNoise
    // None for identical images.
    let ratio = noise.isFinite ? (noise * 100).rounded() / 100 : nil
    let largest = difference.largest
    if json {
      return StandardOutput.write(
        try JSONLine.encode([
          "first": first, "second": second, "width": size.width, "height": size.height, "ssim": similarity,
          "psnr": ratio, "largestDifference": largest.difference,
          "largestDifferenceAt": [largest.column, largest.row], "isBelowThreshold": isBelow,
        ]))
    }
    let place = largest.difference > 0 ? " at \(largest.column),\(largest.row)" : ""
    let details =
      ", PSNR \(ratio.map { "\($0) dB" } ?? "infinite"), largest difference \(largest.difference)\(place), \(size)"
    StandardOutput.write("SSIM \(similarity)" + (verbose ? details : ""))
  }

  /// Both images at the same size.
  private func images(with pipeline: ImagePipeline) async throws -> (Bitmap, Bitmap) {
    let byteLimit = pipeline.configuration.limits.encodedByteCount
    let sources = try await (
      SourceArgument.source(first, byteLimit: byteLimit), SourceArgument.source(second, byteLimit: byteLimit)
    )
    var one = try await image(sources.0, .original, with: pipeline)
    var two = try await image(sources.1, .original, with: pipeline)
    if one.size == two.size { return (one, two) }
    let (a, b) = (one.size, two.size)
    guard resize else { throw ComparisonError.differentSizes(a, b) }
    let target = a.pixelCount <= b.pixelCount ? a : b
    guard Self.isSameShape(a, b) else { throw ComparisonError.differentShapes(a, b) }
    let size = TargetSize.exact(width: target.width, height: target.height)
    if one.size != target { one = try await image(sources.0, size, with: pipeline) }
    if two.size != target { two = try await image(sources.1, size, with: pipeline) }
    return (one, two)
  }

  /// Whether one is the other, scaled and rounded to whole pixels.
  private static func isSameShape(_ a: PixelSize, _ b: PixelSize) -> Bool {
    let (small, large) = a.pixelCount <= b.pixelCount ? (a, b) : (b, a)
    let height = Double(large.height) * Double(small.width) / Double(large.width)
    let width = Double(large.width) * Double(small.height) / Double(large.height)
    return abs(height - Double(small.height)) <= 1 || abs(width - Double(small.width)) <= 1
  }

  private func image(_ source: ImageSource, _ size: TargetSize, with pipeline: ImagePipeline) async throws -> Bitmap {
    try await pipeline.image(for: ImageRequest(source: source, size: size)).bitmap
  }
}

/// Why two images were not compared.
enum ComparisonError: Error, CustomStringConvertible {
  case differentSizes(PixelSize, PixelSize)
  case differentShapes(PixelSize, PixelSize)

  var description: String {
    switch self {
    case .differentSizes(let one, let two):
      "The images have different sizes, \(one) and \(two). Use --resize to reduce the larger one."
    case .differentShapes(let one, let two):
      "The images have different shapes, \(one) and \(two), so that --resize would distort one. Crop it first."
    }
  }
}
