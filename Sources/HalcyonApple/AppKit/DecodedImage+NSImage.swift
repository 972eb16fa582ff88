#if canImport(AppKit) && !targetEnvironment(macCatalyst)
public import AppKit
import CoreGraphics
public import Halcyon
public import HalcyonViews

extension DecodedImage {
  /// The pixels as an `NSImage`, shared without a copy, at the size in points that ``scale`` gives.
  ///
  /// `nil` if Core Graphics is out of memory. Of an animation it is the still frame.
  public var nsImage: NSImage? { bitmap.nsImage(pixelsPerPoint: scale) }

  /// Creates an image from the pixels of an `NSImage`: its representation with the most of them.
  ///
  /// Copies the pixels, and decodes them if that has not happened yet: not for the main thread.
  ///
  /// - Throws: ``PlatformImageError/noPixels`` if it cannot be drawn; ``ImageDecodingError/outOfMemory(_:)``.
  public init(_ image: NSImage) throws {
    let sizes = image.representations.map { CGSize(width: Double($0.pixelsWide), height: Double($0.pixelsHigh)) }
    let largest = sizes.max { $0.width * $0.height < $1.width * $1.height } ?? .zero
    // A representation without pixels, such as of a PDF file, is drawn at its size in points.
    var bounds = CGRect(origin: .zero, size: largest.width > 0 ? largest : image.size)
    guard let pixels = image.cgImage(forProposedRect: &bounds, context: nil, hints: nil) else {
      throw PlatformImageError.noPixels
    }
    let scale = image.size.width > 0 ? Double(pixels.width) / Double(image.size.width) : 1
    self.init(try Bitmap(pixels), scale: scale)
  }
}

extension Bitmap {
  func nsImage(pixelsPerPoint: Double, isTemplate: Bool = false) -> NSImage? {
    let size = CGSize(width: Double(size.width) / pixelsPerPoint, height: Double(size.height) / pixelsPerPoint)
    let image = cgImage.map { NSImage(cgImage: $0, size: size) }
    image?.isTemplate = isTemplate
    return image
  }
}

extension ImagePlaceholder {
  /// An `NSImage`, such as one of the asset catalogue: for ``FailureContent/shows(_:)`` as well.
  ///
  /// - Parameter image: Must not be changed afterwards.
  public static func nsImage(_ image: NSImage) -> ImagePlaceholder {
    // `NSImage` is not sendable, and is used on the main actor only.
    nonisolated(unsafe) let image = image
    return .view { image }
  }
}
#endif
