import AppKit
import Foundation
import Halcyon
import HalcyonApple
import SwiftUI
import UIKit

/// Uses of the public API, as in apps on Apple's platforms.
@MainActor
enum AppleProgram {
  static func onPhone(_ view: UIImageView, _ url: URL) {
    var options = ImageViewOptions()
    options.transition = .crossFade
    options.indicator = .custom { UIActivityIndicatorView(style: .medium) }
    view.hc.setImage(with: url, placeholder: .icon("photo"), options: options) { result in
      if case .failure(let error) = result { print(error) }
    }
    view.hc.cancel()
  }

  static func onDesk(_ view: NSImageView, _ url: URL) {
    view.hc.setImage(with: url, placeholder: .view { NSView(frame: .zero) })
  }

  static func withPipelines(_ view: UIImageView, _ url: URL, own: ImagePipeline, other: ImagePipeline) {
    own.cache.followAppLifeCycle()
    view.hc.pipeline = own
    view.hc.setImage(with: url)
    view.hc.setImage(with: url, pipeline: other)
  }

  static func withPictures(_ view: UIImageView, _ url: URL, empty: UIImage, broken: UIImage) {
    var options = ImageViewOptions()
    options.failure = .shows(.uiImage(broken))
    view.hc.setImage(with: url, placeholder: .uiImage(empty), options: options)
  }

  static func converting(_ photo: UIImage, _ url: URL) async throws -> UIImage? {
    try await ImagePipeline.shared.store(photo, for: ImageRequest(url: url))
    return try await ImagePipeline.shared.image(for: url).uiImage
  }

  static func inSwiftUI(_ urls: [URL]) -> [some View] {
    var options = ImageViewOptions()
    options.transitionGroup = TransitionGroup(count: urls.count)
    return urls.map { HalcyonImage(url: $0, mode: .fill, options: options) }
  }
}
