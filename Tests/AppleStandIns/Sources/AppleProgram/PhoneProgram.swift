#if canImport(UIKit)
import Foundation
import Halcyon
import HalcyonApple
import UIKit

/// Uses of the public API, as in apps on iOS.
@MainActor
enum PhoneProgram {
  static func view(_ view: UIImageView, _ url: URL) {
    var options = ImageViewOptions()
    options.transition = .crossFade
    options.indicator = .custom { UIActivityIndicatorView(style: .medium) }
    view.hc.setImage(with: url, placeholder: .icon("photo"), options: options) { result in
      if case .failure(let error) = result { print(error) }
    }
    view.hc.cancel()
  }

  static func pipelines(_ view: UIImageView, _ url: URL, own: ImagePipeline, other: ImagePipeline) {
    own.cache.followAppLifeCycle()
    view.hc.pipeline = own
    view.hc.setImage(with: url)
    view.hc.setImage(with: url, pipeline: other)
  }

  static func images(_ view: UIImageView, _ url: URL, empty: UIImage, broken: UIImage) {
    var options = ImageViewOptions()
    options.failure = .shows(.uiImage(broken))
    view.hc.setImage(with: url, placeholder: .uiImage(empty), options: options)
  }

  static func button(_ button: UIButton, _ url: URL) {
    button.hc.setImage(with: url, for: .normal)
    button.hc.setBackgroundImage(with: url, for: .highlighted)
    button.hc.image(for: .normal).cancel()
  }

  static func converting(_ photo: UIImage, _ url: URL) async throws -> UIImage? {
    try await ImagePipeline.shared.store(photo, for: ImageRequest(url: url))
    return try await ImagePipeline.shared.image(for: url).uiImage
  }
}
#endif
