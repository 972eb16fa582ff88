#if canImport(SwiftUI)
import Halcyon
import SwiftUI
#if canImport(UIKit) && !os(watchOS)
import UIKit

extension EnvironmentValues {
  /// The space of images on the screen of the view of UIKit that SwiftUI is in; `nil` outside of one.
  var imageColorSpace: TargetColorSpace? { self[ColorSpaceKey.self] }

  /// Bridged from the traits of that view: outside of UIKit's own calls the current traits may not be known.
  private struct ColorSpaceKey: UITraitBridgedEnvironmentKey {
    static var defaultValue: TargetColorSpace? { nil }

    static func read(from traitCollection: UITraitCollection) -> TargetColorSpace? { traitCollection.imageColorSpace }

    /// Does nothing: views do not set the colours of the screen.
    static func write(to mutableTraits: inout any UIMutableTraits, value: TargetColorSpace?) {}
  }
}
#else
extension EnvironmentValues {
  /// `nil`: there are no traits.
  var imageColorSpace: TargetColorSpace? { nil }
}
#endif
#endif
