#if canImport(CoreGraphics)
import CoreGraphics
import Halcyon

/// Retains the bitmap whose pixels a `CGDataProvider` refers to.
private final class BitmapOwner {
  let bitmap: Bitmap

  init(_ bitmap: Bitmap) { self.bitmap = bitmap }
}

extension Bitmap {
  /// A `CGImage` that shares the pixels without a copy, or `nil` if Core Graphics is out of memory.
  var cgImage: CGImage? {
    guard let space = CGColorSpace(name: CGColorSpace.sRGB), let provider else { return nil }
    let alpha = isOpaque ? CGImageAlphaInfo.noneSkipLast : .premultipliedLast
    return CGImage(
      width: size.width, height: size.height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: bytesPerRow,
      space: space, bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue), provider: provider, decode: nil,
      shouldInterpolate: true, intent: .defaultIntent)
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
#endif
