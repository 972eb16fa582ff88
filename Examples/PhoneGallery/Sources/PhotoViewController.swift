import Halcyon
import HalcyonApple
import UIKit

/// One photograph, with its small version until it is loaded, progress, and a tap to try again.
final class PhotoViewController: UIViewController {
  private let photo: URL
  private let imageView = UIImageView(frame: .zero)

  init(photo: URL) {
    self.photo = photo
    super.init(nibName: nil, bundle: nil)
  }

  @available(*, unavailable)
  required init?(coder: NSCoder) { nil }

  override func viewDidLoad() {
    super.viewDidLoad()
    view.backgroundColor = .systemBackground
    imageView.frame = view.bounds
    imageView.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    imageView.contentMode = .scaleAspectFit
    imageView.isUserInteractionEnabled = true
    view.addSubview(imageView)
    load()
  }

  private func load() {
    var options = ImageViewOptions(indicator: .progress, transition: .crossFade)
    options.lowResolution = ImageRequest(url: photo, size: .fill(width: 240, height: 240))
    options.retriesOnTap = true
    imageView.hc.setImage(with: photo, options: options) { [weak self] result in
      switch result {
      case .success(let response): self?.title = "\(response.image.info.pixelSize)"
      case .failure(let error): self?.title = error.description
      }
    }
  }
}
