public import Foundation
public import HalcyonImaging
import HalcyonSupport

/// Decoding without a pipeline and without a cache.
///
/// ```swift
/// let image = try await DecodedImage(contentsOf: file, size: .fit(width: 640))
/// try await image.processed(by: [.circle()]).write(to: folder.appending(path: "small.png"))
/// ```
///
/// Asynchronous code gets the asynchronous initialisers and methods, which work on threads of the library; the others
/// work on the calling thread. They use the codecs of ``StandardCodecs``.
extension DecodedImage {
  /// Decodes a file at a size, or a region of it, on a thread of the library.
  ///
  /// - Parameters:
  ///   - file: The URL of a regular file.
  ///   - size: The target size in pixels. Default: the original size.
  ///   - region: The part to decode, in pixels of the whole upright image, as ``DecodingOptions/region`` says.
  ///   - limits: The limits for the image, checked before memory is allocated.
  ///   - colorSpace: The colour space of the pixels. Default: sRGB.
  ///   - dynamicRange: The range of luminances of the pixels. Default: standard.
  /// - Throws: ``ImageDecodingError``, with ``ImageDecodingError/cancelled`` if the task is cancelled.
  public init(
    contentsOf file: URL, size: TargetSize = .original, region: PixelArea? = nil,
    limits: ImageLimits = ImageLimits(), colorSpace: TargetColorSpace = .sRGB, dynamicRange: DynamicRange = .standard
  ) async throws(ImageDecodingError) {
    self = try await Self.decoded(DecodingOptions(size, region, limits, colorSpace, dynamicRange)) {
      try Data(imageFile: file, limits)
    }
  }

  /// Decodes a file at a size, or a region of it, on the calling thread.
  ///
  /// - Parameters:
  ///   - file: The URL of a regular file.
  ///   - size: The target size in pixels. Default: the original size.
  ///   - region: The part to decode, in pixels of the whole upright image, as ``DecodingOptions/region`` says.
  ///   - limits: The limits for the image, checked before memory is allocated.
  ///   - colorSpace: The colour space of the pixels. Default: sRGB.
  ///   - dynamicRange: The range of luminances of the pixels. Default: standard.
  /// - Throws: ``ImageDecodingError``.
  public init(
    contentsOf file: URL, size: TargetSize = .original, region: PixelArea? = nil,
    limits: ImageLimits = ImageLimits(), colorSpace: TargetColorSpace = .sRGB, dynamicRange: DynamicRange = .standard
  ) throws(ImageDecodingError) {
    self = try Self.decoded(
      Data(imageFile: file, limits), DecodingOptions(size, region, limits, colorSpace, dynamicRange))
  }

  /// Decodes the bytes of a file at a size, or a region of it, on a thread of the library.
  ///
  /// - Parameters:
  ///   - data: The complete file.
  ///   - size: The target size in pixels. Default: the original size.
  ///   - region: The part to decode, in pixels of the whole upright image, as ``DecodingOptions/region`` says.
  ///   - limits: The limits for the image, checked before memory is allocated.
  ///   - colorSpace: The colour space of the pixels. Default: sRGB.
  ///   - dynamicRange: The range of luminances of the pixels. Default: standard.
  /// - Throws: ``ImageDecodingError``, with ``ImageDecodingError/cancelled`` if the task is cancelled.
  public init(
    data: Data, size: TargetSize = .original, region: PixelArea? = nil,
    limits: ImageLimits = ImageLimits(), colorSpace: TargetColorSpace = .sRGB, dynamicRange: DynamicRange = .standard
  ) async throws(ImageDecodingError) {
    self = try await Self.decoded(DecodingOptions(size, region, limits, colorSpace, dynamicRange)) { data }
  }

  /// Decodes the bytes of a file at a size, or a region of it, on the calling thread.
  ///
  /// - Parameters:
  ///   - data: The complete file.
  ///   - size: The target size in pixels. Default: the original size.
  ///   - region: The part to decode, in pixels of the whole upright image, as ``DecodingOptions/region`` says.
  ///   - limits: The limits for the image, checked before memory is allocated.
  ///   - colorSpace: The colour space of the pixels. Default: sRGB.
  ///   - dynamicRange: The range of luminances of the pixels. Default: standard.
  /// - Throws: ``ImageDecodingError``.
  public init(
    data: Data, size: TargetSize = .original, region: PixelArea? = nil,
    limits: ImageLimits = ImageLimits(), colorSpace: TargetColorSpace = .sRGB, dynamicRange: DynamicRange = .standard
  ) throws(ImageDecodingError) {
    self = try Self.decoded(data, DecodingOptions(size, region, limits, colorSpace, dynamicRange))
  }

  private static func decoded(
    _ options: DecodingOptions, _ read: @escaping @Sendable () throws -> Data
  ) async throws(ImageDecodingError) -> DecodedImage {
    do {
      return try await codecThreads.run { flag in
        var options = options
        options.isCancelled = { flag.isCancelled }
        return try decoded(read(), options)
      }
    } catch {
      throw (error as? ImageDecodingError) ?? .cancelled
    }
  }

  private static func decoded(_ data: Data, _ options: DecodingOptions) throws(ImageDecodingError) -> DecodedImage {
    let limit = options.limits.encodedByteCount
    guard data.count <= limit else { throw .tooManyBytes(data.count, limit: limit) }
    let decoder = try StandardCodecs.decoder(of: data)
    var rendition = Rendition(size: options.size, region: options.region)
    (rendition.colorSpace, rendition.keepsAnimation) = (options.colorSpace, true)
    rendition.dynamicRange = options.dynamicRange
    do {
      return try Renderer(encoders: [], limits: options.limits).decoded(
        Renderer.File(data, by: decoder), as: rendition, isCancelled: options.isCancelled)
    } catch {
      throw (error.cause as? ImageDecodingError)
        ?? .corrupt(decoder.formats.first ?? .custom("unknown"), reason: "\(error.cause)")
    }
  }
}

extension DecodingOptions {
  fileprivate init(
    _ size: TargetSize, _ region: PixelArea?, _ limits: ImageLimits, _ colorSpace: TargetColorSpace,
    _ dynamicRange: DynamicRange
  ) {
    self.init(size: size, region: region, limits: limits, colorSpace: colorSpace)
    self.dynamicRange = dynamicRange
  }
}

extension Data {
  /// Reads a file within the limit of encoded bytes; blocks.
  fileprivate init(imageFile file: URL, _ limits: ImageLimits) throws(ImageDecodingError) {
    guard file.isFileURL else { throw .unreadable(file, reason: "it is not a file; load it with a pipeline") }
    do {
      try self.init(wholeFile: file, byteLimit: limits.encodedByteCount)
    } catch {
      switch error {
      case .unreadable(let code): throw .unreadable(file, reason: String(cString: strerror(code)))
      case .tooLarge(let byteCount): throw .tooManyBytes(byteCount, limit: limits.encodedByteCount)
      }
    }
  }
}
