@_exported public import CoreGraphics
import HalcyonImaging

@testable import LinuxCodecs

/// Over the library's decoders for Linux, which it asks for stored pixels: not rotated, as ImageIO returns them.
public final class CGImageSource {
  fileprivate let data: Data
  fileprivate let decoder: any ImageDecoder
  fileprivate var isComplete = true
  /// Whether decoding has failed because the file ends too early.
  fileprivate var isTruncated: Bool {
    do {
      _ = try decoder.decode(data, options: DecodingOptions())
      return false
    } catch ImageDecodingError.truncated {
      return true
    } catch {
      return false
    }
  }

  fileprivate init?(_ data: Data) {
    let decoders = DecoderTable(StandardCodecs.decoders)
    guard let format = decoders.format(sniffing: data, isComplete: true),
      let decoder = try? decoders.decoder(for: format)
    else { return nil }
    self.data = data
    self.decoder = decoder
  }

  /// - Parameter side: The longer side at most; `nil` for the stored size.
  fileprivate func image(at index: Int, side: Int?, _ options: CFDictionary?) -> CGImage? {
    let isHigh = options?[kCGImageSourceDecodeRequest] as? String == kCGImageSourceDecodeToHDR
    let limits = ImageLimits(pixelCount: 1 << 30, sideLength: 1 << 20)
    let size = side.map { TargetSize.fit(width: $0, height: $0) } ?? .original
    // High dynamic range is mapped to sRGB at once: mapped to Display P3 and then converted, it has other colours.
    let info = try? decoder.probe(data, isComplete: true)
    let isMapped = info?.droppedContent.contains(.highDynamicRange) ?? false
    var options = DecodingOptions(
      size: size, limits: limits, allowsPartialImage: true, colorSpace: isMapped ? .sRGB : .source)
    options.dynamicRange = isHigh ? .high : .standard
    if index > 0 { return try? frame(at: index, options: options)?.cgImage }
    guard let image = try? decoder.decode(data, options: options) else { return nil }
    isComplete = !image.isPartial
    return try? image.bitmap.upright(from: image.info.orientation.inverse).cgImage
  }
}

extension CGImageSource {
  private func reader(_ options: DecodingOptions = DecodingOptions()) throws -> (any ImageFrameReader)? {
    try (decoder as? any AnimatedImageDecoder)?.frameReader(for: data, options: options)
  }

  fileprivate var imageCount: Int { (try? reader()?.animation.frameCount) ?? 1 }

  /// A frame, none of which is rotated.
  private func frame(at index: Int, options: DecodingOptions) throws -> Bitmap? {
    let reader = try reader(options)
    for _ in 0..<index { _ = try reader?.nextFrame() }
    return try reader?.nextFrame()?.bitmap
  }
}

public enum CGImageSourceStatus: Int32, Sendable {
  case statusUnexpectedEOF = -5
  case statusInvalidData, statusUnknownType, statusReadingHeader, statusIncomplete, statusComplete
}

public let kCGImageSourceShouldCache: CFString = "kCGImageSourceShouldCache"
public let kCGImageSourceDecodeRequest: CFString = "kCGImageSourceDecodeRequest"
public let kCGImageSourceDecodeToHDR: CFString = "kCGImageSourceDecodeToHDR"
public let kCGImageSourceDecodeToSDR: CFString = "kCGImageSourceDecodeToSDR"
public let kCGImageSourceCreateThumbnailFromImageAlways: CFString = "kCGImageSourceCreateThumbnailFromImageAlways"
public let kCGImageSourceCreateThumbnailWithTransform: CFString = "kCGImageSourceCreateThumbnailWithTransform"
public let kCGImageSourceThumbnailMaxPixelSize: CFString = "kCGImageSourceThumbnailMaxPixelSize"

public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? {
  sourceCounts.count(data)
  return CGImageSource(data)
}

/// The number of sources that were made of each file.
public let sourceCounts = SourceCounts()

public final class SourceCounts: @unchecked Sendable {
  private let lock = NSLock()
  private var counts: [Data: Int] = [:]

  public subscript(file: Data) -> Int { lock.withLock { counts[file] ?? 0 } }
  fileprivate func count(_ file: Data) { lock.withLock { counts[file, default: 0] += 1 } }
}

public func CGImageSourceGetCount(_ isrc: CGImageSource) -> Int { isrc.imageCount }

public func CGImageSourceGetPrimaryImageIndex(_ isrc: CGImageSource) -> Int { 0 }

public func CGImageSourceGetStatus(_ isrc: CGImageSource) -> CGImageSourceStatus {
  isrc.isTruncated ? .statusUnexpectedEOF : .statusComplete
}

public func CGImageSourceGetStatusAtIndex(_ isrc: CGImageSource, _ index: Int) -> CGImageSourceStatus {
  isrc.isComplete ? .statusComplete : .statusUnexpectedEOF
}

public func CGImageSourceCreateImageAtIndex(
  _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
  isrc.image(at: index, side: nil, options)
}

public func CGImageSourceCreateThumbnailAtIndex(
  _ isrc: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? {
  guard options?[kCGImageSourceCreateThumbnailFromImageAlways] as? Bool == true,
    options?[kCGImageSourceCreateThumbnailWithTransform] as? Bool == false
  else { return nil }
  return isrc.image(at: index, side: options?[kCGImageSourceThumbnailMaxPixelSize] as? Int, options)
}

public final class CGImageDestination {
  fileprivate let data: NSMutableData
  fileprivate let encoder: any ImageEncoder
  fileprivate var file: Data?

  fileprivate init(_ data: NSMutableData, _ encoder: any ImageEncoder) {
    self.data = data
    self.encoder = encoder
  }
}

public let kCGImageDestinationLossyCompressionQuality: CFString = "kCGImageDestinationLossyCompressionQuality"

private let encoders: [String: any ImageEncoder] = ["public.jpeg": JPEGEncoder(), "public.png": PNGEncoder()]

/// Without HEIC, as on watches.
public func CGImageDestinationCopyTypeIdentifiers() -> CFArray { Array(encoders.keys) }

public func CGImageDestinationCreateWithData(
  _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
  encoders[type].map { CGImageDestination(data, $0) }
}

public func CGImageDestinationAddImage(_ idst: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?) {
  let quality = properties?[kCGImageDestinationLossyCompressionQuality] as? Double
  let space = image.colorSpace?.name == CGColorSpace.displayP3 ? ColorSpace.displayP3 : .sRGB
  idst.file = try? idst.encoder.encode(
    Bitmap(image, colorSpace: space), options: EncodingOptions(quality: quality ?? 1))
}

public func CGImageDestinationFinalize(_ idst: CGImageDestination) -> Bool {
  guard let file = idst.file else { return false }
  idst.data.append(file)
  return true
}

extension ImageOrientation {
  /// The orientation that undoes this one.
  fileprivate var inverse: ImageOrientation { self == .left ? .right : self == .right ? .left : self }
}
