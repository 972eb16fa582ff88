import Foundation

@testable import HalcyonService

/// The tables of imgproxy.md.
enum ImgproxyManual {
  /// The options of imgproxy with their short names, and what they do here.
  static let options: [(names: String, note: String)] = [
    (
      "resize rs size s resizing_type rt width w height h min-width mw min-height mh", "same; sides are at most 100,000"
    ),
    ("zoom z dpr", "same, from 0.001 to 1000"),
    ("enlarge el extend ex extend_aspect_ratio extend_ar exar", "same"),
    (
      "gravity g",
      """
      same. `sm` finds the place as libvips does, and is within a thirty-second of its sides on the photographs of our \
      tests
      """
    ),
    ("crop c padding pd rotate rot flip fl", "same"), ("trim t", "same; the threshold is at most 255"),
    (
      "auto_rotate ar",
      "same; the metadata of a result that is not turned says upright, where imgproxy keeps the orientation of the source"
    ),
    ("background bg blur bl sharpen sh pixelate pix", "same"),
    ("watermark wm", "same; repeated marks are at least 8 pixels apart"),
    ("strip_metadata sm keep_copyright kcr", "same in JPEG, PNG and WebP; other formats have no metadata"),
    ("strip_color_profile scp", "see the README"),
    (
      "preserve_hdr ph",
      """
      same, also for gain maps, which stay gain maps in JPEG; a result with a filter, a watermark or padding is standard
      """
    ),
    (
      "enforce_thumbnail eth",
      "differs: the image itself is decoded, so that results of AVIF and HEIC sources may be larger than their thumbnail"
    ),
    ("quality q format_quality fq", "same; qualities of encoders differ slightly"),
    (
      "max_bytes mb",
      """
      differs: the best quality that fits; imgproxy lowers it in steps. A limit that no quality reaches has the smallest \
      file in both
      """
    ),
    (
      "format f ext",
      """
      and extensions: jpg, png, webp, gif, avif and jxl, and svg for SVG sources; *missing*: tiff, bmp, ico and heic (422, \
      with the formats to use)
      """
    ),
    (
      "skip_processing skp raw", "same for images; `raw` does not send other files, and SVG only with `send-svg`"
    ),
    ("cachebuster cb", "same; a new one also has the source asked whether it has changed"),
    ("expires exp filename fn return_attachment att preset pr", "same"),
    (
      "max_src_resolution msr max_src_file_size msfs max_result_dimension mrd",
      "same with `allow-security-options`; limits of sources can only be lowered"
    ),
    ("max_animation_frames maf max_animation_frame_resolution mafr", "same with `allow-security-options`"),
    ("adjust a brightness br contrast co saturation sa", "same, of the commercial edition"),
    (CommercialOptions.names.sorted().joined(separator: " "), "*missing*, of the commercial edition"),
  ]

  /// A manual whose tables are those of the options and of the variables.
  static func updated(_ manual: String) -> String {
    let variables = ImgproxyVariables.table.map { (names: $0.name, note: $0.note) }
    return replacing(
      "variables", in: replacing("options", in: manual, by: table("option", options)), by: table("variable", variables))
  }

  /// Replaces what is between the comments with the name of a table.
  private static func replacing(_ name: String, in manual: String, by table: String) -> String {
    let (start, end) = ("<!-- \(name) -->\n", "<!-- end of \(name) -->")
    guard let first = manual.range(of: start), let last = manual.range(of: end) else { return manual }
    return manual[..<first.upperBound] + table + manual[last.lowerBound...]
  }

  /// One line for names that follow each other and have the same note.
  private static func table(_ title: String, _ rows: [(names: String, note: String)]) -> String {
    var lines: [(names: [String], note: String)] = []
    for row in rows {
      let names = row.names.split(separator: " ").map { "`\($0)`" }
      if lines.last?.note == row.note { lines[lines.count - 1].names += names } else { lines.append((names, row.note)) }
    }
    let text = lines.map { "| \($0.names.joined(separator: ", ")) | \($0.note) |\n" }.joined()
    return "| \(title) | |\n| --- | --- |\n" + text
  }
}
