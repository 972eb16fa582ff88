#if canImport(SwiftUI)
import Halcyon
import HalcyonViews
public import SwiftUI
#if canImport(UIKit)
import UIKit
#elseif canImport(AppKit)
import AppKit
#endif

/// The content of a ``HalcyonImage`` without a content closure: the image or its placeholder, and an indicator over it.
public struct HalcyonImageContent: View {
  let model: ImagePhaseModel
  /// What the view is given now, which may have changed since the image was set.
  let update: ImagePhaseModel.Update

  /// The content of the phase.
  public var body: some View {
    Color.clear
      .frame(
        idealWidth: (model.idealSize?.width).map { CGFloat($0) },
        idealHeight: (model.idealSize?.height).map { CGFloat($0) }
      )
      .overlay { picture.id(model.contentNumber).transition(.opacity) }
      .overlay { indicator }
      .clipped()
      .overlay {
        // For screen readers, whatever is shown.
        if let text = model.failureText { Color.clear.accessibilityElement().accessibilityLabel(Text(text)) }
      }
  }

  @ViewBuilder private var picture: some View {
    let shown = shownPicture
    if let image = shown.swiftUIImage(label: model.alternativeText) {
      scaled(model.content.renderingMode == .template ? image.renderingMode(.template) : image)
    } else if case .view(let custom) = shown, let view = AnyView(custom: custom) {
      view
    }
  }

  private var shownPicture: DisplayContent.Picture {
    let content = model.content
    guard content.role == .placeholder, !content.isEmpty,
      let placeholder = update.placeholder ?? update.options.placeholder
    else {
      return content.picture
    }
    return placeholder.picture
  }

  @ViewBuilder private var indicator: some View {
    if let indicator = model.indicator {
      if case .custom(let make) = indicator {
        if let view = AnyView(custom: make()) { view }
      } else {
        ProgressView(value: indicator.showsProgress ? model.progress?.fraction ?? 0 : nil)
      }
    }
  }

  @ViewBuilder private func scaled(_ image: Image) -> some View {
    switch update.mode {
    case .fit: image.resizable().aspectRatio(contentMode: .fit)
    case .fill: image.resizable().aspectRatio(contentMode: .fill)
    case .stretch: image.resizable()
    }
  }
}

extension AnyView {
  /// A custom placeholder or indicator; `nil` if it is no view of SwiftUI.
  @MainActor fileprivate init?(custom: Any) {
    guard let view = custom as? any View else { return nil }
    self.init(view)
  }
}

extension DisplayContent.Picture {
  /// The image, an icon (an image of the app or a symbol of the system), or an image of UIKit or AppKit; `nil` for other
  /// content.
  ///
  /// - Parameter label: For screen readers; without one, an image is decorative.
  @MainActor fileprivate func swiftUIImage(label: String?) -> Image? {
    switch self {
    case .image(let image): label.map { Image(image, label: Text($0)) } ?? Image(image)
    case .icon(let name): Image(asset: name) ?? Image(systemName: name)
    case .view(let custom): Image(custom: custom)
    case .none: nil
    }
  }
}

extension Image {
  /// An image of the app.
  fileprivate init?(asset name: String) {
    #if canImport(UIKit)
    self.init(custom: UIImage(named: name) as Any)
    #elseif canImport(AppKit)
    self.init(custom: NSImage(named: name) as Any)
    #else
    return nil
    #endif
  }

  /// An image of UIKit or AppKit; `nil` for other content.
  fileprivate init?(custom: Any) {
    #if canImport(UIKit)
    guard let image = custom as? UIImage else { return nil }
    self.init(uiImage: image)
    #elseif canImport(AppKit)
    guard let image = custom as? NSImage else { return nil }
    self.init(nsImage: image)
    #else
    return nil
    #endif
  }
}
#endif
