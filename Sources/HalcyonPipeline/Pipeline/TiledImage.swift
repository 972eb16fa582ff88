@_spi(Programs) public import HalcyonImaging
import HalcyonSupport
import Foundation

/// A picture that is read in parts, at any reduction: for views that zoom into large photographs, plans and panoramas.
///
/// ```swift
/// let picture = try await pipeline.tiledImage(for: request)
/// let area = PixelArea(left: 0, top: 0, width: min(1024, picture.size.width), height: min(1024, picture.size.height))
/// let tile = try await picture.tile(area, reduction: 2)  // 512x512 pixels
/// ```
///
/// It holds the encoded bytes. Of JPEG, TIFF, BMP and HEIC a tile costs about what it shows. A file of any other
/// format is decoded as a whole at the reduction that is asked for, and kept as long as this object, if that takes no more
/// memory than the memory cache of the pipeline may use (``MemoryCacheConfiguration/costLimit``); otherwise it is decoded for each
/// tile. Safe from any thread; tiles are decoded on the threads of the pipeline, as many at once as it has.
public final class TiledImage: Sendable {
  /// The properties of the file.
  public let info: ImageInfo
  /// The size of the whole upright picture in pixels.
  public var size: PixelSize { info.pixelSize }

  private let file: Renderer.File
  private let url: URL
  private let request: ImageRequest
  private let loader: ImageLoader
  /// The most bytes of the whole picture at all reductions; 0 if the file is read in parts.
  private let levelByteLimit: Int
  /// The whole picture by its reduction.
  private let levels = Lock<[Int: DecodedImage]>([:])
  private let jobs: InFlightJobs<Int, DecodedImage>

  fileprivate init(
    _ encoded: EncodedImage, _ file: Renderer.File, cutsRegions: Bool, _ request: ImageRequest, _ loader: ImageLoader
  ) {
    (info, url, self.file, self.request, self.loader) = (encoded.info, encoded.sourceURL, file, request, loader)
    jobs = InFlightJobs { [url] _ in url }
    levelByteLimit = cutsRegions ? 0 : loader.configuration.cache(for: request).memoryConfiguration.costLimit
  }

  /// The pixels of a part of the picture.
  ///
  /// They are those of the request's image: upright, in its colours and its range of luminances. The processors and the size of
  /// the request do not apply.
  ///
  /// - Parameters:
  ///   - area: The part, in pixels of the whole upright picture. If its edges are multiples of the reduction, adjacent tiles
  ///     fit without a seam.
  ///   - reduction: How many pixels of the picture, along a side, become one of the tile; usually a power of 2, as the level that a
  ///     view needs. Default: 1, and at least that.
  /// - Returns: An image with the sides of the area divided by the reduction, rounded up.
  /// - Throws: ``ImageError/decoding(_:url:)``, with ``ImageDecodingError/invalidRegion(_:of:)`` for an area that is not inside
  ///   the picture; ``ImageError/cancelled`` if the calling task is cancelled.
  public func tile(_ area: PixelArea, reduction: Int = 1) async throws(ImageError) -> DecodedImage {
    let reduction = max(1, reduction)
    if keepsLevel(reduction) {
      return try await part(area, of: level(reduction), reduction)
    }
    return try await render { [self] isCancelled throws(RenderingError) in
      try decoded(area, reduction, isCancelled)
    }
  }

  /// Whether several tiles take about as long as one area that all of them are in.
  package func isCheapInParts(at reduction: Int) -> Bool { levelByteLimit == 0 || keepsLevel(reduction) }

  private func keepsLevel(_ reduction: Int) -> Bool {
    let bytesPerPixel = request.resolved.dynamicRange.bytesPerPixel
    return size.reduced(by: reduction).pixelCount <= levelByteLimit / bytesPerPixel / 5 * 3
  }

  /// The whole picture at a reduction, decoded once for all callers.
  private func level(_ reduction: Int) async throws(ImageError) -> DecodedImage {
    if let known = levels.withLock({ $0[reduction] }) { return known }
    let subscription = LoadSubscription(priority: request.resolved.priority)
    return try await jobs.value(for: reduction, subscription: subscription, keepsResult: true) {
      [self] _ throws(ImageError) in
      // Another job may have ended since.
      if let known = levels.withLock({ $0[reduction] }) { return known }
      let image = try await render { [self] isCancelled throws(RenderingError) in
        try decoded(nil, reduction, isCancelled)
      }
      levels.withLock { $0[reduction] = image }
      return image
    }
  }

  private func decoded(
    _ area: PixelArea?, _ reduction: Int, _ isCancelled: @escaping @Sendable () -> Bool
  ) throws(RenderingError) -> DecodedImage {
    let size = (area?.size ?? size).reduced(by: reduction)
    var rendition = request.completed(
      Rendition(
        size: reduction == 1 ? .original : .exact(width: size.width, height: size.height, enlarges: false), region: area
      ))
    rendition.keepsAnimation = false
    return try loader.renderer.decoded(file, as: rendition, isCancelled: isCancelled)
  }

  private func part(
    _ area: PixelArea, of level: DecodedImage, _ reduction: Int
  ) async throws(ImageError) -> DecodedImage {
    try await render { [size] _ throws(RenderingError) in
      do {
        _ = try TargetSize.original.geometry(for: size, region: area)
        let (part, end) = (area.size.reduced(by: reduction), level.size)
        let (left, top) = (area.left / reduction, area.top / reduction)
        var image = level
        image.bitmap = try level.bitmap.with(
          BitmapGeometry(
            PixelArea(
              left: min(left, end.width - part.width), top: min(top, end.height - part.height), width: part.width,
              height: part.height)))
        return image
      } catch {
        throw .decoding(error)
      }
    }
  }

  private func render(
    _ body: @escaping @Sendable (@escaping @Sendable () -> Bool) throws(RenderingError) -> DecodedImage
  ) async throws(ImageError) -> DecodedImage {
    do {
      return try await loader.workers.run(priority: request.resolved.priority) { flag in
        try flag.asCurrent { try body { flag.isCancelled } }
      }
    } catch {
      throw ImageError(rendering: error, url: url)
    }
  }
}

extension ImagePipeline {
  /// Opens an image whose parts are read later, at any reduction.
  ///
  /// Its bytes come from the store or from the source, as for ``data(for:onProgress:)``. Nothing is decoded, but a progressive
  /// JPEG file is written again with one scan, which takes as long as decoding it.
  ///
  /// - Throws: The errors of ``info(for:)``.
  public func tiledImage(for request: ImageRequest) async throws(ImageError) -> TiledImage {
    let request = resolved(request)
    let encoded = try await loader.encodedImage(for: request, needsEnd: false)
    do {
      let decoder = try loader.configuration.decoders(for: request).decoder(for: encoded.info.format)
      let (info, limits) = (encoded.info, loader.configuration.limits)
      return try await loader.workers.run(priority: request.resolved.priority) { [loader] flag in
        let file = try flag.asCurrent { try Renderer.File(opening: encoded.data, by: decoder, limits) }
        return TiledImage(encoded, file, cutsRegions: file.cutsRegions(of: info), request, loader)
      }
    } catch {
      throw ImageError(decoding: error, url: encoded.sourceURL)
    }
  }
}

extension Renderer.File {
  fileprivate init(opening data: Data, by decoder: any ImageDecoder, _ limits: ImageLimits) throws {
    let opened = try (decoder as? any FileOpeningDecoder)?.opened(data, limits: limits)
    self.init(opened?.file ?? data, by: opened?.decoder ?? decoder)
  }

  /// Whether a part is decoded without most of the others. Progressive files have all parts in each pass.
  fileprivate func cutsRegions(of info: ImageInfo) -> Bool {
    let abilities = info.format.abilities
    guard abilities.cutsRegions, decoder.decodesRegions else { return false }
    return abilities.progressiveBytesPerPixel == nil || (try? decoder.metadata(of: data).isProgressive) == false
  }
}
