#if canImport(SwiftUI)
import CoreGraphics
public import Halcyon
public import SwiftUI

extension Image {
  /// Creates a decorative image from the pixels of a decoded one, shared without a copy, at its scale.
  ///
  /// Half floats may be brighter than white, where the screen can show it. `nil` if Core Graphics is out of memory.
  public init?(_ image: DecodedImage) {
    guard let pixels = image.cgImage else { return nil }
    self = Image(decorative: pixels, scale: image.scale).withRange(of: image)
  }

  /// Creates an image from the pixels of a decoded one, with a label for accessibility.
  ///
  /// Half floats may be brighter than white, where the screen can show it. `nil` if Core Graphics is out of memory.
  public init?(_ image: DecodedImage, label: Text) {
    guard let pixels = image.cgImage else { return nil }
    self = Image(pixels, scale: image.scale, label: label).withRange(of: image)
  }

  private func withRange(of image: DecodedImage) -> Image {
    #if os(watchOS)
    self
    #else
    image.bitmap.dynamicRange == .high ? allowedDynamicRange(.high) : self
    #endif
  }
}
#endif
