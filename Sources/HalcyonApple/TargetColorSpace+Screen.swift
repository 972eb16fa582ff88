#if canImport(ObjectiveC)
import Halcyon
import HalcyonViews
#if canImport(UIKit) && !os(watchOS)
import UIKit

extension UITraitCollection {
  var imageColorSpace: TargetColorSpace { displayGamut == .P3 ? .source : .sRGB }
}
#endif
#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit

extension NSScreen {
  var imageColorSpace: TargetColorSpace { canRepresent(.p3) ? .source : .sRGB }
}
#endif

extension TargetColorSpace {
  /// The space of images that are in no view of UIKit or AppKit, on the current screen: the file's if the screen shows
  /// more colours than sRGB has.
  @MainActor static var screen: TargetColorSpace {
    #if canImport(UIKit) && !os(watchOS)
    UITraitCollection.current.imageColorSpace
    #elseif canImport(AppKit)
    NSScreen.main?.imageColorSpace ?? .sRGB
    #else
    .sRGB
    #endif
  }
}

#if !os(watchOS)
extension SlotDisplay {
  /// A display for the current screen, whose own pipeline is the shared one.
  convenience init(_ slot: Slot) {
    var slot = slot
    slot.colorSpace = slot.colorSpace ?? { .screen }
    self.init(slot, pipeline: .shared) { $0.cache.followAppLifeCycle() }
  }
}
#endif
#endif
