#if AVIF && !IMAGEIO
import HalcyonImaging
import CHalcyonAVIF

/// A libavif decoder on one AVIF file. It uses one thread, as a pipeline decodes several images at once.
final class AVIFReader {
  /// The largest pixel limit that libavif accepts.
  private static let largestSizeLimit = 1 << 28

  private let decoder: UnsafeMutablePointer<avifDecoder>
  private let header: HEIFImageHeader
  /// The repaired file, which is read instead; `nil` if the file needs no repair.
  private let repaired: FileBytes?

  /// - Parameter bytes: The file; must outlive the reader.
  init(_ bytes: UnsafeRawBufferPointer, header: HEIFImageHeader, limits: ImageLimits) throws(ImageDecodingError) {
    guard let decoder = avifDecoderCreate() else { throw .outOfMemory(header.codedSize) }
    self.decoder = decoder
    self.header = header
    repaired = AssociationBoxes.distinct(in: bytes).map(FileBytes.init)
    let bytes = repaired?.buffer ?? bytes
    decoder.pointee.maxThreads = 1
    decoder.pointee.ignoreExif = AVIF_TRUE
    decoder.pointee.ignoreXMP = AVIF_TRUE
    decoder.pointee.imageSizeLimit = UInt32(max(1, min(limits.pixelCount, Self.largestSizeLimit)))
    decoder.pointee.imageDimensionLimit = UInt32(max(1, min(limits.sideLength, Int(UInt16.max))))
    // As lenient as browsers: many files lack `pixi`, or `ispe` of the alpha image, or have crops that start between
    // chroma samples.
    decoder.pointee.strictFlags = avifStrictFlags(AVIF_STRICT_DISABLED.rawValue)
    try check(avifDecoderSetIOMemory(decoder, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count))
    try check(avifDecoderParse(decoder))
  }

  deinit { avifDecoderDestroy(decoder) }

  var frameCount: Int { Int(decoder.pointee.imageCount) }

  /// The duration of the last decoded frame, in seconds.
  var frameSeconds: Double { decoder.pointee.imageTiming.duration }

  /// Decodes the next frame; returns `false` after the last.
  @discardableResult
  func next() throws(ImageDecodingError) -> Bool {
    let result = avifDecoderNextImage(decoder)
    if result == AVIF_RESULT_NO_IMAGES_REMAINING { return false }
    try check(result)
    return true
  }

  func rewind() throws(ImageDecodingError) { try check(avifDecoderReset(decoder)) }

  /// The planes of the last decoded frame, valid until the next call.
  func samples() throws(ImageDecodingError) -> SamplePlanes {
    guard let image = decoder.pointee.image?.pointee, let first = image.yuvPlanes.0 else {
      throw .corrupt(.avif, reason: "it has no image")
    }
    var coding = SampleCoding(depth: Int(image.depth))
    coding.chromaSiting = image.chromaSiting
    // libavif 0.11 treats the depth track of a sequence as alpha.
    let alphaPlane = header.hasAlpha ? image.alphaPlane : nil
    if header.hasAlpha, alphaPlane == nil {
      // So does libavif 0.11, for a grid whose tiles have alpha each.
      throw .unsupportedFeature(.avif, feature: "alpha that libavif leaves out")
    }
    let alpha = alphaPlane.map { SamplePlanes.Plane(start: $0, bytesPerRow: Int(image.alphaRowBytes)) }
    if alpha != nil { coding.alpha = image.alphaPremultiplied == AVIF_TRUE ? .premultiplied : .straight }
    var colors = [SamplePlanes.Plane(start: first, bytesPerRow: Int(image.yuvRowBytes.0))]
    if let second = image.yuvPlanes.1, let third = image.yuvPlanes.2, image.yuvFormat != AVIF_PIXEL_FORMAT_YUV400 {
      let (shiftX, shiftY) = image.chromaShifts
      for (start, bytesPerRow) in [(second, image.yuvRowBytes.1), (third, image.yuvRowBytes.2)] {
        colors.append(
          SamplePlanes.Plane(start: start, bytesPerRow: Int(bytesPerRow), shiftX: shiftX, shiftY: shiftY))
      }
    }
    return try SamplePlanes(
      size: PixelSize(width: Int(image.width), height: Int(image.height)), colors: colors, alpha: alpha,
      color: image.colorCoding, coding: coding, format: .avif)
  }

  private func check(_ result: avifResult) throws(ImageDecodingError) {
    switch result {
    case AVIF_RESULT_OK: return
    case AVIF_RESULT_TRUNCATED_DATA, AVIF_RESULT_WAITING_ON_IO: throw .truncated(.avif)
    case AVIF_RESULT_OUT_OF_MEMORY: throw .outOfMemory(header.codedSize)
    case AVIF_RESULT_NO_CODEC_AVAILABLE, AVIF_RESULT_NOT_IMPLEMENTED, AVIF_RESULT_UNSUPPORTED_DEPTH:
      throw .unsupportedFeature(.avif, feature: reason(result))
    default: throw .corrupt(.avif, reason: reason(result))
    }
  }

  /// libavif's description of an error.
  private func reason(_ result: avifResult) -> String {
    let name = String(cString: avifResultToString(result))
    let detail = withUnsafeBytes(of: decoder.pointee.diag.error) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    return detail.isEmpty ? name : "\(name): \(detail)"
  }
}

extension avifImage {
  fileprivate var chromaShifts: (x: Int, y: Int) {
    switch yuvFormat {
    case AVIF_PIXEL_FORMAT_YUV420: (1, 1)
    case AVIF_PIXEL_FORMAT_YUV422: (1, 0)
    default: (0, 0)
    }
  }

  /// AV1 defines two positions; encoders of still images mean the centre if they state none.
  fileprivate var chromaSiting: SampleCoding.ChromaSiting {
    switch yuvChromaSamplePosition {
    case AVIF_CHROMA_SAMPLE_POSITION_VERTICAL: .left
    case AVIF_CHROMA_SAMPLE_POSITION_COLOCATED: .topLeft
    default: .center
    }
  }

  fileprivate var colorCoding: ColorCoding {
    ColorCoding(
      primaries: Int(colorPrimaries), transfer: Int(transferCharacteristics), matrix: Int(matrixCoefficients),
      isFullRange: yuvRange == AVIF_RANGE_FULL)
  }
}
#endif
