#if canImport(UIKit)
import CoreGraphics
public import Halcyon
import HalcyonImaging
import HalcyonCodecs
import HalcyonViews
public import UIKit

extension DecodedImage {
  /// The pixels as a `UIImage`, shared without a copy, with the ``scale`` of the image.
  ///
  /// `nil` if Core Graphics is out of memory. Of an animation it is the still frame.
  public var uiImage: UIImage? { uiImage(pixelsPerPoint: scale) }

  /// - Parameter mode: Default: `nil`, the place of the image decides.
  func uiImage(pixelsPerPoint: Double, _ mode: ImageRenderingMode? = nil) -> UIImage? {
    let image = cgImage.map { UIImage(cgImage: $0, scale: pixelsPerPoint, orientation: .up) }
    switch mode {
    case .original?: return image?.withRenderingMode(.alwaysOriginal)
    case .template?: return image?.withRenderingMode(.alwaysTemplate)
    case nil: return image
    }
  }

  /// Creates an image from the pixels of a `UIImage`, rotated upright, with its scale.
  ///
  /// Copies the pixels, and decodes them if that has not happened yet: not for the main thread.
  ///
  /// - Throws: ``PlatformImageError/noPixels`` if it is not backed by a `CGImage`, as one from Core Image;
  ///   ``ImageDecodingError/outOfMemory(_:)``.
  public init(_ image: UIImage) throws {
    guard let pixels = image.cgImage else { throw PlatformImageError.noPixels }
    let upright = try Bitmap(pixels).upright(from: ImageOrientation(image.imageOrientation))
    self.init(upright, scale: Double(image.scale))
  }
}

extension ImagePipeline {
  /// Stores a `UIImage` for a request, as ``store(_:original:for:userInfo:)`` does.
  ///
  /// - Throws: ``PlatformImageError`` or ``ImageDecodingError`` if the image has no pixels that can be copied; ``ImageError`` if
  ///   it cannot be stored.
  public func store(_ image: UIImage, for request: ImageRequest) async throws {
    // Copying the pixels takes milliseconds, which the caller's actor should not spend.
    let decoded = try await Task.detached { try DecodedImage(image) }.value
    try await store(decoded, for: request)
  }
}

extension ImageOrientation {
  init(_ orientation: UIImage.Orientation) {
    self =
      switch orientation {
      case .up: .up
      case .upMirrored: .upMirrored
      case .down: .down
      case .downMirrored: .downMirrored
      case .left: .left
      case .leftMirrored: .leftMirrored
      case .right: .right
      case .rightMirrored: .rightMirrored
      @unknown default: .up
      }
  }
}
#endif
