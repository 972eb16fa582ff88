import Foundation
@_spi(Programs) import HalcyonImaging

/// Detects the format of an image and reads its header, as early as the received bytes allow.
struct ImageInspector {
  private let decoders: DecoderTable
  private let limits: ImageLimits
  private let url: URL
  private let contentType: String?
  private var nextProbeByteCount = 0
  private(set) var info: ImageInfo?
  /// The size of the file, once ``info`` describes all of it.
  private var wholeByteCount: Int?

  init(decoders: DecoderTable, limits: ImageLimits, url: URL, contentType: String? = nil) {
    self.decoders = decoders
    self.limits = limits
    self.url = url
    self.contentType = contentType
  }

  /// Inspects the bytes received so far, but only if they have doubled since the last time.
  ///
  /// - Parameter isWhole: Whether these are all bytes of the file.
  mutating func inspect(_ prefix: Data, isWhole: Bool) throws(ImageError) {
    guard info == nil, isWhole || prefix.count >= nextProbeByteCount else { return }
    info = try probe(prefix, isComplete: isWhole)
    if isWhole { wholeByteCount = prefix.count }
    nextProbeByteCount = max(prefix.count * 2, 64)
  }

  /// The properties of a whole file, which may be more than those in its first bytes, for example the number of frames.
  func info(of data: Data) throws(ImageError) -> ImageInfo {
    if let info, wholeByteCount == data.count { return info }
    guard let info = try probe(data, isComplete: true) else {
      throw .notAnImage(contentType: contentType, url: url)
    }
    return info
  }

  private func probe(_ bytes: Data, isComplete: Bool) throws(ImageError) -> ImageInfo? {
    guard let format = decoders.format(sniffing: bytes, isComplete: isComplete) else {
      if !isComplete && bytes.count < ImageFormat.sniffByteCount { return nil }
      throw .notAnImage(contentType: contentType, url: url)
    }
    do {
      guard let info = try decoders.decoder(for: format).probe(bytes, isComplete: isComplete) else { return nil }
      // The limits apply to the pixels that a drawing gets.
      if !format.abilities.isVector {
        try limits.check(info.pixelSize, format: format, isInRows: format.abilities.mayBeInRows)
      }
      return info
    } catch {
      throw ImageError(decoding: error, url: url)
    }
  }
}

extension PipelineConfiguration {
  /// An inspector for the bytes of a URL. Inlined, since a call would copy the large configuration.
  @inline(__always)
  func inspector(of url: URL, contentType: String? = nil, for request: ImageRequest) -> ImageInspector {
    ImageInspector(decoders: decoders(for: request), limits: limits, url: url, contentType: contentType)
  }

  /// The decoders of a request, its own first. Inlined for the same reason.
  @inline(__always)
  func decoders(for request: ImageRequest) -> DecoderTable {
    (request.optionsBox?.options.decoder).map { DecoderTable([$0] + decoders) } ?? decoderTable
  }
}
