#if canImport(SwiftUI)
import Halcyon
import HalcyonViews
public import SwiftUI

/// The content of a ``HalcyonImage`` without a content closure: the image, the placeholder, or an indicator.
public struct HalcyonImageContent: View {
  let phase: ImagePhase
  let placeholder: ImagePlaceholder?
  let mode: ImageDisplayMode
  let options: ImageViewOptions

  /// The content of the phase.
  public var body: some View {
    Color.clear.overlay { content }.clipped()
  }

  @ViewBuilder private var content: some View {
    if let image = phase.swiftUIImage {
      scaled(image)
    } else if case .failure = phase, case .clears = options.failure {
      EmptyView()
    } else if case .failure = phase, case .shows(let content) = options.failure, let image = content.swiftUIImage {
      scaled(image)
    } else if phase.isLoading, let indicator = options.indicator, !indicator.isHidden {
      ProgressView(value: indicator.showsProgress ? phase.progress?.fraction ?? 0 : nil)
    } else if let image = placeholder?.swiftUIImage {
      scaled(image)
    }
  }

  @ViewBuilder private func scaled(_ image: Image) -> some View {
    switch mode {
    case .fit: image.resizable().aspectRatio(contentMode: .fit)
    case .fill: image.resizable().aspectRatio(contentMode: .fill)
    case .stretch: image.resizable()
    }
  }
}

extension ImagePlaceholder {
  /// The placeholder as an image of SwiftUI; an icon is a symbol of the system. `nil` for a view of another toolkit.
  @MainActor fileprivate var swiftUIImage: Image? {
    switch picture {
    case .image(let image): Image(image)
    case .icon(let name): Image(systemName: name)
    case .none, .view: nil
    }
  }
}
#endif
