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
      Keep this area in pixels, after --rotate, as far as the picture has it: 400x300+10+20 from the upper left, or \
      400x300 in the middle.
      """)
  var crop: CropArgument?

  @Flag(help: "Remove borders of one colour, that of the upper left pixel, but for animations.")
  var trim = false

  @Option(
    help: "Draw the image in this file over the lower right corner, or as the wm option of --process says.",
    completion: .file())
  var watermark: String?

  func validate() throws {
    if let rotate, ![90, 180, 270].contains(rotate) {
      throw ValidationError("--rotate has to be 90, 180 or 270, not \(rotate).")
    }
    _ = try options()
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
  /// - Parameter sized: The options of the size.
  func options(over sized: ProcessingOptions = ProcessingOptions()) throws -> ProcessingOptions {
    var options = sized
    options.rotation = rotate ?? 0
    options.crop = crop?.crop
    if trim { options.trim = ProcessingOptions.Trim(within: 10) }
    if watermark != nil { options.watermark = ProcessingOptions.Watermark(inset: 10) }
    var segments: [String] = []
    for segment in process?.split(separator: "/").map(String.init) ?? [] {
      let name = String(segment.prefix { $0 != ":" })
      if Self.refused.contains(name) {
        throw ValidationError(
          "The option \(name) of --process has no effect on files. Use the options of this program.")
      }
      segments.append(segment)
    }
    do {
      options = try OptionParser().options(segments, over: options).options
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
  let crop: ProcessingOptions.Crop

  init?(argument: String) {
    let parts = argument.split(separator: "+", omittingEmptySubsequences: false)
    let sides = parts[0].lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    guard sides.count == 2, sides.allSatisfy({ $0 > 0 }), parts.count == 1 || parts.count == 3 else { return nil }
    let offsets = parts.dropFirst().map { Int($0) ?? -1 }
    guard offsets.allSatisfy({ $0 >= 0 }) else { return nil }
    crop = ProcessingOptions.Crop(
      PixelSize(width: sides[0], height: sides[1]), at: offsets.isEmpty ? nil : (offsets[0], offsets[1]))
  }
}
