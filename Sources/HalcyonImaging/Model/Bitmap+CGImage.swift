#if canImport(CoreGraphics)
public import CoreGraphics

extension Bitmap {
  /// A `CGImage` in the colour space of the bitmap that shares the pixels without a copy; `nil` if Core Graphics is out of memory.
  ///
  /// It keeps the pixels in memory as long as it lives. Any thread may use it.
  public var cgImage: CGImage? {
    guard let space = CGColorSpace(name: colorSpace.name), let provider else { return nil }
    let alpha = isOpaque ? CGImageAlphaInfo.noneSkipLast : .premultipliedLast
    return CGImage(
      width: size.width, height: size.height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: bytesPerRow,
      space: space, bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue), provider: provider, decode: nil,
      shouldInterpolate: true, intent: .defaultIntent)
  }

  /// Creates a bitmap from a `CGImage`, converted to a colour space and 8 bits per channel.
  ///
  /// Copies the pixels, and decodes them if that has not happened yet: takes milliseconds for each megapixel, so not on
  /// the main thread.
  ///
  /// - Throws: ``ImageDecodingError/outOfMemory(_:)``.
  public init(_ image: CGImage, colorSpace: ColorSpace = .sRGB) throws(ImageDecodingError) {
    let size = PixelSize(width: image.width, height: image.height)
    let isOpaque = [.none, .noneSkipLast, .noneSkipFirst].contains(image.alphaInfo)
    guard size.width > 0, size.height > 0, let space = CGColorSpace(name: colorSpace.name) else {
      throw .outOfMemory(size)
    }
    do {
      try self.init(size: size, isOpaque: isOpaque, colorSpace: colorSpace) { bytes in
        let context = CGContext(
          data: bytes.baseAddress, width: size.width, height: size.height, bitsPerComponent: 8,
          bytesPerRow: size.width * 4, space: space, bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
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

extension ColorSpace {
  fileprivate var name: CFString {
    switch self {
    case .sRGB: CGColorSpace.sRGB
    case .displayP3: CGColorSpace.displayP3
    }
  }
}

/// Retains the bitmap whose pixels a `CGDataProvider` refers to.
private final class BitmapOwner {
  let bitmap: Bitmap

  init(_ bitmap: Bitmap) { self.bitmap = bitmap }
}
#endif
