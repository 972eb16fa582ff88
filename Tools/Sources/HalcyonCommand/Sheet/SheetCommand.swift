import ArgumentParser
import Foundation
import Synchronization
import Halcyon
import HalcyonCodecs
@_spi(Programs) import HalcyonImaging

/// `halcyon sheet`: draws small copies of many images in one.
struct SheetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sheet", abstract: "Draws a contact sheet: small copies of many images in one.",
    discussion: """
      Images are in the order of the sources, in folders in the order of their names. A file that cannot be read is \
      reported and left out, and then the exit status is 1. In folders, hidden files are skipped, and \
      files that neither are images nor have the extension of one. Of animations the first frame is drawn.

      Examples:
        halcyon sheet photos -r -o sheet.jpg
        halcyon sheet 'photos/*.jpg' -o sheet.png --size 160x120 --columns 8
      """)

  @Argument(help: "Files, folders, and quoted patterns with *, ?, [...] and **.", completion: .file())
  var sources: [String]

  @Option(
    name: .shortAndLong, help: "Write the sheet to this file, in the format of its extension.", completion: .file())
  var output: String

  @Flag(name: .shortAndLong, help: "Search folders in folders.")
  var recursive = false

  @Option(help: "The size into which each image fits, in pixels, for example 160x120; or 200 for the longest side.")
  var size = SizeArgument.longestSide(256)

  @Option(help: "The images in a row. Default: as many as make the sheet about square.")
  var columns: Int?

  @Option(help: "The pixels between the images.")
  var gap = 12

  @Option(help: "The quality of lossy formats from 0 to 100.")
  var quality = 85

  @Flag(help: "Replace an existing file.")
  var overwrite = false

  @OptionGroup var limits: LimitOptions

  func validate() throws {
    try check("quality", quality, in: 0...100)
    try check("columns", columns, in: 1 ... .max)
    try check("gap", gap, in: 0...1000)
    if size.target == nil { throw ValidationError("--size takes pixels, for example 160x120 or 200.") }
    guard case .file(_, _?) = try OutputTarget(output, isFile: true) else {
      throw OutputTarget.unknownFormat(output, isFile: true)
    }
  }

  func run() async throws {
    try await Interruption.run { try await draw() }
  }

  private func draw() async throws {
    guard case .file(let path, let format?) = try OutputTarget(output) else { return }
    try OutputFile.check(path, overwrites: overwrite)
    let (images, failedCount) = try await images()
    guard !images.isEmpty else {
      StandardError.write("Error: There are no images to draw.")
      throw ExitCode.failure
    }
    var sheet = ContactSheet(images, columns: columns ?? Int(Double(images.count).squareRoot().rounded(.up)))
    sheet.gap = gap
    let bitmap = try sheet.draw()
    let data = try await DecodedImage(bitmap: bitmap).encoded(as: format, quality: Double(quality) / 100)
    try OutputFile.write(data, toNamed: path, overwrites: overwrite)
    StandardOutput.write("Drew \(images.count.counted("image")) in \(bitmap.size) pixels: \(path)")
    if failedCount > 0 { throw ExitCode.failure }
  }

  /// The images at their size on the sheet, in their order, and how many could not be read.
  private func images() async throws -> ([Bitmap], failedCount: Int) {
    let options = DecodingOptions(size: size.target ?? .original, limits: limits.limits())
    let found = Mutex<(images: [(number: Int, bitmap: Bitmap)], failedCount: Int)>(([], 0))
    let files = SourceFiles(sources, isRecursive: recursive, isNumbered: true, excluding: nil)
    let run = FileRun<Bitmap>(files) { file, isStopped, report in
      var options = options
      options.isCancelled = isStopped
      if let bitmap = try Self.image(file, options) { report(bitmap) }
    } report: { event in
      switch event {
      case .outcome(let file, let bitmap): found.withLock { $0.images.append((file.number, bitmap)) }
      case .danglingLink, .skippedFolder: break
      case .failure(let path, let error):
        found.withLock { $0.failedCount += 1 }
        let text = Advice.describe(error)
        StandardError.write("Error: " + (path.isEmpty || text.contains(path) ? text : "\(path): \(text)"))
      }
    }
    try await run.run(width: ProcessInfo.processInfo.activeProcessorCount)
    return found.withLock { ($0.images.sorted { $0.number < $1.number }.map(\.bitmap), $0.failedCount) }
  }

  /// The first frame of the image in a file; `nil` if there is none, in a folder.
  private static func image(_ file: SourceFile, _ options: DecodingOptions) throws -> Bitmap? {
    let byteLimit = options.limits.encodedByteCount
    let input = try file.open(byteLimit: byteLimit, isCancelled: options.isCancelled)
    guard let image = try SourceImage(file, input, byteLimit: byteLimit) else { return nil }
    return try image.decoded(options).bitmap
  }
}
