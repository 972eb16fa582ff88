#if canImport(CoreGraphics)
public import CoreGraphics
import HalcyonSupport

extension Bitmap {
  /// A `CGImage` in the colour space of the bitmap that shares the pixels without a copy; `nil` if Core Graphics is out of memory.
  /// Half floats are in extended linear Display P3.
  ///
  /// It keeps the pixels in memory as long as it lives, and is the same for all who ask until then, so that Core Animation
  /// uploads them once. Any thread may use it.
  public var cgImage: CGImage? {
    // Writing to a bitmap whose storage is shared copies it first, so that a cached image never shows other pixels.
    if let image = storage.sharedImage.withLock({ $0.image(in: colorSpace) }) { return image }
    let image = makeCGImage()
    return storage.sharedImage.withLock { shared in
      // Another thread may have been faster.
      if let first = shared.image(in: colorSpace) { return first }
      shared = WeakImage(image, colorSpace)
      return image
    }
  }

  private func makeCGImage() -> CGImage? {
    guard let space = dynamicRange.space(colorSpace), let provider else { return nil }
    let bits = dynamicRange.bytesPerPixel * 8
    return CGImage(
      width: size.width, height: size.height, bitsPerComponent: bits / 4, bitsPerPixel: bits, bytesPerRow: bytesPerRow,
      space: space, bitmapInfo: dynamicRange.info(isOpaque ? .noneSkipLast : .premultipliedLast), provider: provider,
      decode: nil, shouldInterpolate: true, intent: .defaultIntent)
  }

  /// Creates a bitmap from a `CGImage`, converted to a colour space and 8 bits per channel.
  ///
  /// Copies the pixels, and decodes them if that has not happened yet: takes milliseconds for each megapixel, so not on
  /// the main thread.
  ///
  /// - Throws: ``ImageDecodingError/outOfMemory(_:)``.
  public init(_ image: CGImage, colorSpace: ColorSpace = .sRGB) throws(ImageDecodingError) {
    try self.init(image, colorSpace: colorSpace, dynamicRange: .standard)
  }

  /// Creates a bitmap from a `CGImage`, converted to bytes in a colour space or to half floats.
  ///
  /// - Throws: ``ImageDecodingError/outOfMemory(_:)``.
  package init(
    _ image: CGImage, colorSpace: ColorSpace, dynamicRange: DynamicRange
  ) throws(ImageDecodingError) {
    let size = PixelSize(width: image.width, height: image.height)
    let isOpaque = [.none, .noneSkipLast, .noneSkipFirst].contains(image.alphaInfo)
    guard size.width > 0, size.height > 0, let space = dynamicRange.space(colorSpace) else { throw .outOfMemory(size) }
    do {
      try self.init(size: size, isOpaque: isOpaque, colorSpace: colorSpace, dynamicRange: dynamicRange) { bytes in
        let bytesPerPixel = dynamicRange.bytesPerPixel
        let context = CGContext(
          data: bytes.baseAddress, width: size.width, height: size.height, bitsPerComponent: bytesPerPixel * 2,
          bytesPerRow: size.width * bytesPerPixel, space: space,
          bitmapInfo: dynamicRange.info(.premultipliedLast).rawValue)
        guard let context else { throw ImageDecodingError.outOfMemory(size) }
        context.draw(image, in: CGRect(x: 0, y: 0, width: size.width, height: size.height))
      }
    } catch {
      throw .outOfMemory(size)
    }
  }

  /// A provider that retains the bitmap: its pixels neither move nor change until the provider is freed.
  private var provider: CGDataProvider? {
    let owner = Unmanaged.passRetained(BitmapOwner(self))
    let provider = withUnsafeBytes { bytes in
      bytes.baseAddress.flatMap { pixels in
        CGDataProvider(dataInfo: owner.toOpaque(), data: pixels, size: bytes.count) { owner, _, _ in
          if let owner { Unmanaged<BitmapOwner>.fromOpaque(owner).release() }
        }
      }
    }
    if provider == nil { owner.release() }
    return provider
  }
}

extension DynamicRange {
  fileprivate func space(_ space: ColorSpace) -> CGColorSpace? {
    switch (self, space) {
    case (.high, _): CGColorSpace(name: CGColorSpace.extendedLinearDisplayP3)
    case (.standard, .sRGB): CGColorSpace(name: CGColorSpace.sRGB)
    case (.standard, .displayP3): CGColorSpace(name: CGColorSpace.displayP3)
    }
  }

  fileprivate func info(_ alpha: CGImageAlphaInfo) -> CGBitmapInfo {
    let info = CGBitmapInfo(rawValue: alpha.rawValue)
    return self == .high ? info.union([.floatComponents, .byteOrder16Little]) : info
  }
}

/// A weak reference to a `CGImage`, which is immutable.
struct WeakImage: @unchecked Sendable {
  private weak var image: CGImage?
  private let colorSpace: ColorSpace?

  init(_ image: CGImage? = nil, _ colorSpace: ColorSpace? = nil) { (self.image, self.colorSpace) = (image, colorSpace) }

  /// The image if it has this colour space: copies of a bitmap share the pixels, but may have another one.
  func image(in colorSpace: ColorSpace) -> CGImage? { self.colorSpace == colorSpace ? image : nil }
}

/// Retains the bitmap whose pixels a `CGDataProvider` refers to.
private final class BitmapOwner {
  let bitmap: Bitmap

  init(_ bitmap: Bitmap) { self.bitmap = bitmap }
}
#endif
