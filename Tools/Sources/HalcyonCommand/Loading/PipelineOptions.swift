import ArgumentParser
import Foundation
import Halcyon
import HalcyonCache

/// The options of the limits.
struct LimitOptions: ParsableArguments {
  @Option(help: "The most bytes of an image file. Default: \(ImageLimits().encodedByteCount).")
  var maxBytes: Int?

  @Option(help: "The most pixels of an image. Default: \(ImageLimits().pixelCount).")
  var maxPixels: Int?

  @Option(help: "The most pixels of a side of an image. Default: \(ImageLimits().sideLength).")
  var maxSide: Int?

  func validate() throws {
    try check("max-bytes", maxBytes, in: 1 ... .max)
    try check("max-pixels", maxPixels, in: 1 ... .max)
    try check("max-side", maxSide, in: 1 ... .max)
  }

  /// Limits with the default of each that is not given.
  func limits(_ defaults: ImageLimits = ImageLimits()) -> ImageLimits {
    ImageLimits(
      pixelCount: maxPixels ?? defaults.pixelCount, sideLength: maxSide ?? defaults.sideLength,
      encodedByteCount: maxBytes ?? defaults.encodedByteCount)
  }
}

/// The option that names a cache, of all commands.
struct CacheFolderOption: ParsableArguments {
  @Option(
    name: [.customShort("d"), .customLong("cache-dir")],
    help: "The folder of the disk cache. Default: halcyon/PROGRAM/default in the system's cache folder.",
    completion: .directory)
  var folder: String?

  var url: URL {
    get throws { try folder.map { try SourceArgument.folderURL($0) } ?? DiskCache.defaultDirectory }
  }
}

/// The options of the disk cache and the limits.
struct PipelineOptions: ParsableArguments {
  @OptionGroup var cache: CacheFolderOption
  @OptionGroup var limits: LimitOptions

  func pipeline() throws -> ImagePipeline {
    let folder = try cache.url
    let pipeline = ImagePipeline { $0.cache = ImageCache(in: folder) }
    var configuration = pipeline.configuration
    configuration.limits = limits.limits(configuration.limits)
    // The progress bar draws what has been received, also before a pause.
    configuration.progressInterval = .zero
    if let decoder = DrawSVGCommand.decoder { configuration.decoders.insert(decoder, at: 0) }
    return ImagePipeline(configuration: configuration)
  }
}
