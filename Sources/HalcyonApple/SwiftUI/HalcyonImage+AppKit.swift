#if canImport(SwiftUI) && canImport(AppKit) && !targetEnvironment(macCatalyst)
public import AppKit
import Halcyon
public import SwiftUI

extension HalcyonImage: NSViewRepresentable {
  /// Makes the view.
  public func makeNSView(context: NSViewRepresentableContext<HalcyonImage>) -> NSImageView {
    NSImageView(frame: .zero)
  }

  /// Gives the view its image. An image view of AppKit cannot fill its room: it shows the whole image instead.
  public func updateNSView(_ view: NSImageView, context: NSViewRepresentableContext<HalcyonImage>) {
    view.imageScaling = mode == .stretch ? .scaleAxesIndependently : .scaleProportionallyUpOrDown
    update(view.hc)
  }

  /// All the room that there is.
  public func sizeThatFits(
    _ proposal: ProposedViewSize, nsView: NSImageView, context: NSViewRepresentableContext<HalcyonImage>
  ) -> CGSize? {
    proposal.replacingUnspecifiedDimensions()
  }
}
#endif
