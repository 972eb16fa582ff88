import ArgumentParser
import Foundation
import Halcyon
import HalcyonProcessing

/// The options that change the picture besides its size, which are those of an image URL of the service.
struct ProcessingArguments: ParsableArguments {
  @Option(
    help: """
      The processing options of an image URL of halcyon serve, for example rs:fill:400:400/g:sm/rot:90. They \
      override --size, --rotate, --crop and --trim.
      """)
  var process: String?

  @Option(help: "Rotate clockwise by 90, 180 or 270 degrees.")
  var rotate: Int?

  @Option(
    help: """
      Keep this area in pixels, after --rotate: 400x300+10+20 from the upper left, or 400x300 in the middle.
      """)
  var crop: CropArgument?

  @Flag(help: "Remove borders of one colour, that of the upper left pixel.")
  var trim = false

  @Option(
    help: "Draw the image in this file over the lower right corner, or as the wm option of --process says.",
    completion: .file())
  var watermark: String?

  func validate() throws {
    if let rotate, ![90, 180, 270].contains(rotate) {
      throw ValidationError("--rotate has to be 90, 180 or 270, not \(rotate).")
    }
    _ = try options(size: [])
  }

  var isEmpty: Bool { process == nil && rotate == nil && crop == nil && !trim && watermark == nil }

  /// The names of options that concern a URL or a server, and no picture.
  private static let refused: Set<String> = [
    "preset", "pr", "raw", "skip_processing", "skp", "expires", "exp", "filename", "fn", "return_attachment", "att",
    "cachebuster", "cb", "auto_rotate", "ar", "format_quality", "fq", "strip_metadata", "sm", "keep_copyright", "kcr",
    "strip_color_profile", "scp", "max_src_resolution", "msr", "max_src_file_size", "msfs", "max_animation_frames",
    "maf",
    "max_animation_frame_resolution", "mafr", "max_result_dimension", "mrd",
  ]

  /// The options of all arguments.
  ///
  /// - Parameter size: The segments of the size.
  func options(size: [String]) throws -> ProcessingOptions {
    var segments = size
    if let rotate { segments.append("rot:\(rotate)") }
    if let crop { segments.append(crop.segment) }
    if trim { segments.append("t:10") }
    if watermark != nil { segments.append("wm:1:soea:10:10") }
    for segment in process?.split(separator: "/").map(String.init) ?? [] {
      let name = String(segment.prefix { $0 != ":" })
      if Self.refused.contains(name) {
        throw ValidationError(
          "The option \(name) of --process has no effect on files. Use the options of this program.")
      }
      segments.append(segment)
    }
    do {
      let options = try OptionParser().options(segments).options
      if options.watermark != nil, watermark == nil {
        throw ValidationError("The option wm of --process draws the image of --watermark. Name its file.")
      }
      return options
    } catch let error as OptionError {
      throw ValidationError("\(error)")
    }
  }
}

/// An area: `400x300+10+20`, or `400x300`.
struct CropArgument: ExpressibleByArgument {
  /// The option of an image URL.
  let segment: String

  init?(argument: String) {
    let parts = argument.split(separator: "+", omittingEmptySubsequences: false)
    let sides = parts[0].lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    guard sides.count == 2, sides.allSatisfy({ $0 > 0 }), parts.count == 1 || parts.count == 3 else { return nil }
    let offsets = parts.dropFirst().map { Int($0) ?? -1 }
    guard offsets.allSatisfy({ $0 >= 0 }) else { return nil }
    let place = offsets.isEmpty ? "ce" : "nowe:\(offsets[0]):\(offsets[1])"
    segment = "c:\(sides[0]):\(sides[1]):\(place)"
  }
}

extension ResultSize {
  /// The size as options of an image URL, for an image of a size.
  func segments(for source: PixelSize) -> [String] {
    switch target(for: source) {
    case .fit(let width, let height): ["rs:fit:\(width == .max ? 0 : width):\(height == .max ? 0 : height)"]
    case .fill(let width, let height, _, _): ["rs:fill:\(width):\(height)"]
    case .exact(let width, let height, _): ["rs:force:\(width):\(height):1"]
    default: []
    }
  }
}
