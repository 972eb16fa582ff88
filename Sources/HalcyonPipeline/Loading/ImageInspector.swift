import HalcyonImaging
import Foundation

/// Looks at the first bytes of what should be an image, as early as they are there.
struct ImageInspector {
  private let decoders: [any ImageDecoder]
  private let limits: ImageLimits
  private let url: URL
  private let contentType: String?
  private var nextProbeByteCount = 0
  private(set) var info: ImageInfo?
  /// The size of the whole file, once ``info`` is about all of it.
  private var wholeByteCount: Int?

  init(decoders: [any ImageDecoder], limits: ImageLimits, url: URL?, contentType: String? = nil) {
    self.decoders = decoders
    self.limits = limits
    self.url = url ?? .unnamedImage
    self.contentType = contentType
  }

  /// Takes the bytes that have arrived so far. Looks again only when they have doubled.
  ///
  /// - Parameter isWhole: Whether these are all there will be.
  mutating func inspect(_ prefix: Data, isWhole: Bool) throws(ImageError) {
    guard info == nil, isWhole || prefix.count >= nextProbeByteCount else { return }
    info = try probe(prefix, isComplete: isWhole)
    if isWhole { wholeByteCount = prefix.count }
    nextProbeByteCount = max(prefix.count * 2, 64)
  }

  /// The facts about a whole file, which may be more than its beginning told: how many pictures an animation has.
  func info(of data: Data) throws(ImageError) -> ImageInfo {
    if let info, wholeByteCount == data.count { return info }
    guard let info = try probe(data, isComplete: true) else {
      throw .notAnImage(contentType: contentType, url: url)
    }
    return info
  }

  private func probe(_ bytes: Data, isComplete: Bool) throws(ImageError) -> ImageInfo? {
    guard let format = ImageFormat(sniffing: bytes) else {
      if !isComplete && bytes.count < ImageFormat.sniffByteCount { return nil }
      throw .notAnImage(contentType: contentType, url: url)
    }
    guard let decoder = decoders.first(where: { $0.formats.contains(format) }) else {
      throw .decoding(.unsupportedFormat(format), url: url)
    }
    do {
      guard let info = try decoder.probe(bytes, isComplete: isComplete) else { return nil }
      try limits.check(info.pixelSize, format: format)
      return info
    } catch let error as ImageDecodingError {
      throw .decoding(error, url: url)
    } catch {
      throw .failed(cause: error, url: url)
    }
  }
}

extension PipelineConfiguration {
  /// What looks at the bytes of an address. Inlined, as everything that is asked for at each load: a configuration is
  /// large, and would be copied for the call.
  @inline(__always)
  func inspector(of url: URL?, contentType: String? = nil) -> ImageInspector {
    ImageInspector(decoders: decoders, limits: limits, url: url, contentType: contentType)
  }
}
