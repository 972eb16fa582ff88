#if canImport(SwiftUI)
public import Halcyon
public import SwiftUI

extension Image {
  /// Creates a decorative image from the pixels of a decoded one, shared without a copy, at its scale.
  ///
  /// `nil` if Core Graphics is out of memory.
  public init?(_ image: DecodedImage) {
    guard let pixels = image.cgImage else { return nil }
    self.init(decorative: pixels, scale: image.scale)
  }

  /// Creates an image from the pixels of a decoded one, with a label for accessibility.
  ///
  /// `nil` if Core Graphics is out of memory.
  public init?(_ image: DecodedImage, label: Text) {
    guard let pixels = image.cgImage else { return nil }
    self.init(pixels, scale: image.scale, label: label)
  }
}
#endif
