#if canImport(SwiftUI)
import SwiftUI

/// Lays its content over each other, at the size of the content. The first view gets the proposed size, and takes no part in
/// the layout: it measures the space for an image, whatever the content is.
struct ProposedSpace: Layout {
  func sizeThatFits(proposal: ProposedViewSize, subviews: Subviews, cache: inout ()) -> CGSize {
    subviews.dropFirst().map { $0.sizeThatFits(proposal) }.reduce(CGSize.zero) { all, size in
      CGSize(width: max(all.width, size.width), height: max(all.height, size.height))
    }
  }

  func placeSubviews(in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout ()) {
    let center = CGPoint(x: bounds.midX, y: bounds.midY)
    for view in subviews { view.place(at: center, anchor: .center, proposal: proposal) }
  }
}
#endif
