#if canImport(CoreGraphics)
import CoreGraphics
import Halcyon

/// Holds the pixels that an image of the system draws.
private final class BitmapOwner {
  let bitmap: Bitmap

  init(_ bitmap: Bitmap) { self.bitmap = bitmap }
}

extension Bitmap {
  /// The same pixels, without a copy, as the system draws them; `nil` where it has no memory for it.
  var cgImage: CGImage? {
    guard let space = CGColorSpace(name: CGColorSpace.sRGB), let provider else { return nil }
    let alpha = isOpaque ? CGImageAlphaInfo.noneSkipLast : .premultipliedLast
    return CGImage(
      width: size.width, height: size.height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: bytesPerRow,
      space: space, bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue), provider: provider, decode: nil,
      shouldInterpolate: true, intent: .defaultIntent)
  }

  /// A bitmap's pixels neither move nor change while somebody holds it, and the provider does until it is freed.
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
