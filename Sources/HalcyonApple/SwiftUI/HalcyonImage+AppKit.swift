#if canImport(SwiftUI) && canImport(AppKit) && !targetEnvironment(macCatalyst)
public import AppKit
import Halcyon
public import SwiftUI

extension HalcyonImage: NSViewRepresentable {
  /// Creates the image view.
  public func makeNSView(context: NSViewRepresentableContext<HalcyonImage>) -> NSImageView {
    NSImageView(frame: .zero)
  }

  /// Sets the scaling of the image view, and loads the image if the request or the pipeline has changed.
  ///
  /// `NSImageView` has no scaling that fills: `.fill` shows the image as `.fit` does.
  public func updateNSView(_ view: NSImageView, context: NSViewRepresentableContext<HalcyonImage>) {
    view.imageScaling = mode == .stretch ? .scaleAxesIndependently : .scaleProportionallyUpOrDown
    update(view.hc)
  }

  /// The proposed size.
  public func sizeThatFits(
    _ proposal: ProposedViewSize, nsView: NSImageView, context: NSViewRepresentableContext<HalcyonImage>
  ) -> CGSize? {
    proposal.replacingUnspecifiedDimensions()
  }
}
#endif
