package import Foundation
import HalcyonSupport

/// Makes renditions of images, on the calling thread: decodes, converts colours, processes and encodes. Knows no load and no
/// cache.
///
/// Requests, previews, thumbnails, prefetching, files for servers and ``DecodedImage`` all call ``rendered(_:as:isCancelled:)``
/// or one of its steps.
package struct Renderer: Sendable {
  let encoders: [any ImageEncoder]
  let limits: ImageLimits

  package init(encoders: [any ImageEncoder], limits: ImageLimits) {
    (self.encoders, self.limits) = (encoders, limits)
  }

  /// A complete file.
  package struct File {
    package let data: Data
    package let decoder: any ImageDecoder
    /// The image of the file, if it is known and has the requested size.
    package let image: DecodedImage?

    package init(_ data: Data, by decoder: any ImageDecoder, image: DecodedImage? = nil) {
      (self.data, self.decoder, self.image) = (data, decoder, image)
    }
  }

  /// Renders a file.
  ///
  /// - Parameters:
  ///   - makesPlaceholder: Whether to make the placeholder of the image, unless it is partial, cropped or stretched.
  ///   - isCancelled: Called repeatedly while decoding.
  package func rendered(
    _ file: File, as rendition: Rendition, makesPlaceholder: Bool = false,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(RenderingError) -> Rendered {
    if let sanitized = try sanitized(file, rendition) { return sanitized }
    var lacksFrames = false
    do {
      if let animation = try renderedAnimation(file, rendition, isCancelled) { return animation }
    } catch  where rendition.allowsPartialImage && error.isDamage {
      lacksFrames = true
    }
    var image = try decoded(file, as: rendition, isCancelled: isCancelled)
    let (size, isPartial) = (image.size, image.isPartial || lacksFrames)
    let placeholder = makesPlaceholder && !isPartial && rendition.isWhole ? ThumbHash(image.bitmap) : nil
    let decodingEnd = ContinuousClock.now
    image = try processed(image, by: rendition.processors)
    let processingEnd = rendition.processors.isEmpty ? decodingEnd : .now
    let data = try rendition.encoding.flatMap { encoding throws(RenderingError) in
      try encoded(image, as: encoding, of: file) ?? file.data
    }
    return Rendered(
      image: image, data: data, placeholder: placeholder, decodedSize: size, size: image.size, isPartial: isPartial,
      ends: (decodingEnd, processingEnd, .now))
  }

  /// The first step: the image of a file at a size and in a colour space.
  package func decoded(
    _ file: File, as rendition: Rendition, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(RenderingError) -> DecodedImage {
    var rendition = rendition
    let crop: SmartCropProcessor?
    let image: DecodedImage
    do {
      if var image = file.image {
        image.bitmap = try image.bitmap.converted(for: rendition.colorSpace)
        return image
      }
      crop = try smartCrop(of: file, &rendition)
      image = try file.decoder.image(from: file.data, options: options(rendition, isCancelled))
    } catch {
      throw .decoding(error)
    }
    return try crop.map { crop throws(RenderingError) in try processed(image, by: [crop], keepsAnimation: true) }
      ?? image
  }

  /// The second step: an image with processors applied in order.
  ///
  /// - Parameter keepsAnimation: Whether they apply to the frames of an animation as well; otherwise it is dropped.
  package func processed(
    _ image: DecodedImage, by processors: [any ImageProcessor], keepsAnimation: Bool = false
  ) throws(RenderingError) -> DecodedImage {
    do {
      return try image.applying(processors, keepsAnimation: keepsAnimation)
    } catch {
      throw .processing(identifier: error.identifier, error.cause)
    }
  }

  /// The last step: an image as a file; `nil` for an animation that is to stay as it is.
  ///
  /// - Parameter file: The original, for its metadata; `nil` if it is not known. Reads every pixel of an image that may be
  ///   transparent, if the form names no format.
  package func encoded(
    _ image: DecodedImage, as encoding: Rendition.Encoding, of file: File? = nil
  ) throws(RenderingError) -> Data? {
    guard let format = encoding.format(of: image) else { return nil }
    return try encoded(image, as: format, options(encoding, of: file), byteLimit: encoding.byteLimit)
  }

  /// An image as a file of a format.
  package func encoded(
    _ image: DecodedImage, as format: ImageFormat, _ options: EncodingOptions, byteLimit: Int? = nil
  ) throws(RenderingError) -> Data {
    do {
      try CancellationFlag.checkCurrent()
      let encoder = try encoders.encoder(for: format)
      return try encoder.fitting(options, byteLimit: byteLimit) { try encoder.encode(image, options: $0) }
    } catch {
      throw .encoding(error)
    }
  }

  /// A preview of the first bytes of a file; `nil` if it is no better than the last one.
  package func preview(
    of prefix: Data, after stage: Int, by decoder: any ProgressiveImageDecoder, as rendition: Rendition,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws -> ImagePreview? {
    guard decoder.decodes(rendition.region) else { return nil }
    let options = DecodingOptions(
      size: rendition.size, region: rendition.region, limits: limits, colorSpace: rendition.colorSpace,
      isCancelled: isCancelled)
    guard var preview = try decoder.preview(prefix, after: stage, options: options) else { return nil }
    var image = ProcessedImage(
      try preview.image.bitmap.converted(for: rendition.colorSpace), of: preview.image.info, isComplete: false)
    try image.apply(rendition.processors)
    preview.image.bitmap = image.bitmap
    return preview
  }

  func options(_ rendition: Rendition, _ isCancelled: @escaping @Sendable () -> Bool) -> DecodingOptions {
    var options = DecodingOptions(
      size: rendition.size, region: rendition.region, limits: limits, allowsPartialImage: rendition.allowsPartialImage,
      keepsAnimation: rendition.keepsAnimation, colorSpace: rendition.colorSpace, isCancelled: isCancelled)
    guard rendition.dynamicRange == .high, rendition.processors.keepDynamicRange else { return options }
    let encoder = rendition.encoding.flatMap { try? encoders.encoder(for: $0.format ?? .jpeg) }
    // An encoder of bytes gets the standard picture, rather than one that has to be tone-mapped.
    guard rendition.encoding == nil || encoder is any HighDynamicRangeEncoder else { return options }
    options.dynamicRange = .high
    options.keepsGainMap = (encoder as? any HighDynamicRangeEncoder)?.writesGainMaps ?? false
    return options
  }

  /// The options for an encoder, with the metadata that the form takes from the original file.
  func options(_ encoding: Rendition.Encoding, of file: File?) -> EncodingOptions {
    var options = EncodingOptions(quality: encoding.quality, isLossless: encoding.isLossless)
    options.colorLimit = encoding.colorLimit
    if encoding.metadata != .strip, let file {
      options.metadata = (try? file.decoder.metadata(of: file.data)).flatMap(encoding.metadata.applied)
    }
    return options
  }

  /// A document without anything that runs code; `nil` if the rendition draws it.
  private func sanitized(_ file: File, _ rendition: Rendition) throws(RenderingError) -> Rendered? {
    guard let format = rendition.encoding?.format, let decoder = file.decoder as? any SanitizingDecoder,
      decoder.formats.contains(format)
    else { return nil }
    do {
      let size = try decoder.wholeInfo(of: file.data).pixelSize
      return Rendered(data: try decoder.sanitized(file.data), decodedSize: size, size: size)
    } catch {
      throw .decoding(error)
    }
  }

  /// Crops around what attracts attention, if a size says so: the size becomes the one at which the file covers it. `nil`
  /// where the decoder itself crops, or nothing is cropped.
  func smartCrop(of file: File, _ rendition: inout Rendition) throws -> SmartCropProcessor? {
    guard case .fill(let width, let height, let anchor, let enlarges) = rendition.size, anchor.isSmart,
      rendition.size.isValid
    else { return nil }
    let info = try file.decoder.wholeInfo(of: file.data)
    let fill = TargetSize.fill(width: width, height: height, enlarges: enlarges || info.format.abilities.isVector)
    let source = rendition.region?.size ?? info.pixelSize
    let geometry = try fill.geometry(for: info.pixelSize, region: rendition.region)
    let scale = Double(geometry.outputSize.width) / geometry.window.width
    rendition.size = .exact(
      width: max(geometry.outputSize.width, Int(pixels: Double(source.width) * scale)),
      height: max(geometry.outputSize.height, Int(pixels: Double(source.height) * scale)))
    return SmartCropProcessor(geometry.outputSize, place: info.frameCount > 1 ? SmartCropPlace() : nil)
  }
}

/// The result of a ``Renderer``.
package struct Rendered: Sendable {
  /// The pixels; `nil` where only a file was made, of an animation or a document.
  package var image: DecodedImage?
  /// The file, if the rendition has a form.
  package var data: Data?
  package var placeholder: ThumbHash?
  /// The size at which the file was decoded.
  package var decodedSize: PixelSize
  /// The size of the result, and its number of frames.
  package var size: PixelSize
  package var frameCount = 1
  /// Whether the file is damaged, so that pixels or frames are missing.
  package var isPartial = false
  /// When each step ended; `nil` where the steps of many frames alternate, or there is only one.
  package var ends:
    (decoding: ContinuousClock.Instant, processing: ContinuousClock.Instant, encoding: ContinuousClock.Instant)?
}

/// Why a rendition was not made, with the error of the step that failed.
package enum RenderingError: Error {
  case decoding(any Error)
  case processing(identifier: String, any Error)
  case encoding(any Error)

  /// Whether the file is damaged, so that a part of its image may be sound.
  var isDamage: Bool {
    if case .decoding(let error as ImageDecodingError) = self { error.isDamage } else { false }
  }

  /// The error of the step.
  package var cause: any Error {
    switch self {
    case .decoding(let error), .processing(_, let error), .encoding(let error): error
    }
  }
}

extension Rendition.Encoding {
  /// The format for an image; `nil` for an animation that is to stay as it is.
  fileprivate func format(of image: DecodedImage) -> ImageFormat? {
    if let format { return format }
    if image.animation != nil { return nil }
    return image.bitmap.hasTransparentPixel ? .png : .jpeg
  }
}

extension Rendition {
  /// Whether it shows the whole image, in its aspect ratio.
  fileprivate var isWhole: Bool {
    switch size {
    case .original, .fit, .cover: region == nil
    case .fill, .exact: false
    }
  }
}
