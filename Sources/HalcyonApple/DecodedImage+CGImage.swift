#if canImport(CoreGraphics)
public import CoreGraphics
public import Halcyon

extension DecodedImage {
  /// The pixels as a `CGImage` in the colour space of the bitmap, shared without a copy; `nil` if Core Graphics is out of memory.
  public var cgImage: CGImage? { bitmap.cgImage }

  /// Creates an image from a `CGImage`, converted to sRGB and 8 bits per channel.
  ///
  /// Copies the pixels, and decodes them if that has not happened yet: not for the main thread.
  ///
  /// - Parameters:
  ///   - image: The image, of any size and colour space.
  ///   - scale: Pixels per point. Default: 1.
  /// - Throws: ``ImageDecodingError/outOfMemory(_:)``.
  public init(_ image: CGImage, scale: Double = 1) throws(ImageDecodingError) {
    self.init(try Bitmap(image), scale: scale)
  }

  /// An image that comes from no file.
  init(_ bitmap: Bitmap, scale: Double) {
    self.init(bitmap: bitmap, info: nil)
    self.scale = scale
  }
}
#endif
