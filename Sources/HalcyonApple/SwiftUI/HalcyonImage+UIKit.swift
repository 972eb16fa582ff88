#if canImport(SwiftUI) && canImport(UIKit) && !os(watchOS)
import Halcyon
public import SwiftUI
public import UIKit

extension HalcyonImage: UIViewRepresentable {
  /// Creates the image view.
  public func makeUIView(context: UIViewRepresentableContext<HalcyonImage>) -> UIImageView {
    let view = UIImageView(frame: .zero)
    view.clipsToBounds = true
    return view
  }

  /// Sets the content mode of the image view, and loads the image if the request or the pipeline has changed.
  public func updateUIView(_ view: UIImageView, context: UIViewRepresentableContext<HalcyonImage>) {
    switch mode {
    case .fit: view.contentMode = .scaleAspectFit
    case .fill: view.contentMode = .scaleAspectFill
    case .stretch: view.contentMode = .scaleToFill
    }
    update(view.hc)
  }

  /// The proposed size.
  public func sizeThatFits(
    _ proposal: ProposedViewSize, uiView: UIImageView, context: UIViewRepresentableContext<HalcyonImage>
  ) -> CGSize? {
    proposal.replacingUnspecifiedDimensions()
  }
}
#endif
