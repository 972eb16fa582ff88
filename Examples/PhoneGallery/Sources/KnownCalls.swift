import Halcyon
import HalcyonApple
import HalcyonImaging
import UIKit

/// Calls that users of other libraries know, each under its first line there.
@MainActor
struct KnownCalls {
  let imageView: UIImageView
  let url: URL
  let empty: UIImage

  // imageView.jf.setImage(with: url); imageView.kf.setImage(with: url)
  func show() { imageView.hc.setImage(with: url) }

  // posterImageView.jf.setOriginalImage(with: url); options: [.showOriginalImage]
  func showOriginal() { imageView.hc.setImage(with: url, options: ImageViewOptions(sizing: .original)) }

  // imageView.jf.setImage(with: url, placeHolder: placeHolder, waitPlaceHolderTime: 3.0)
  func showLatePlaceholder() {
    let options = ImageViewOptions(placeholderDelay: .seconds(3))
    imageView.hc.setImage(with: url, placeholder: .uiImage(empty), options: options)
  }

  // imageView.sd_setImage(with: url, placeholderImage: UIImage(named: "placeholder.png"))
  func showNamedPlaceholder() { imageView.hc.setImage(with: url, placeholder: .icon("placeholder")) }

  // options: [.cacheMemoryOnly]
  func keepInMemoryOnly() {
    var request = ImageRequest(url: url)
    request.storeAccess = .disabled
    imageView.hc.setImage(with: request)
  }

  // options: [.onlyFromCache]
  func showCached() { imageView.hc.setImage(with: ImageRequest(url: url) { $0.cachePolicy = .cacheOnly }) }

  // options: [.forceRefresh]
  func refresh() { imageView.hc.setImage(with: ImageRequest(url: url) { $0.cachePolicy = .reload }) }

  // options: [.disableETag]
  func skipRevalidation() { imageView.hc.setImage(with: ImageRequest(url: url) { $0.cachePolicy = .cacheFirst }) }

  // options: [.downsamplingScale(1.5)]
  func showLarger() { imageView.hc.setImage(with: url, options: ImageViewOptions(sizing: .view(factor: 1.5))) }

  // imageView.jf.cancelDownloadImage()
  func cancel() { imageView.hc.cancel() }

  // imageView.kf.setImage(with: resource, placeholder:, options: [.transition(.fade(0.3))], progressBlock:, completionHandler:)
  func showWithProgress() {
    imageView.hc.setImage(
      with: url, placeholder: .uiImage(empty), options: ImageViewOptions(transition: .crossFade)
    ) { result in
      if case .failure(let error) = result { print(error) }
    }?.onProgress { progress in print(progress.fraction ?? 0) }
  }

  // ImageResource(downloadURL: url, cacheKey: "my_cache_key")
  func showUnderOwnKey() {
    imageView.hc.setImage(with: ImageRequest(source: .url(url, key: "my_cache_key")))
  }

  // setImage(from: urlString, size: size, placeholderImage: …), with an indicator and a transition of 0.3 seconds
  func setImage(from string: String?, side: Int) {
    let options = ImageViewOptions(
      failure: .shows(.uiImage(empty)), indicator: .activity, transition: .crossFade(.milliseconds(300)))
    guard let url = string.flatMap(URL.init(string:)) else {
      imageView.hc.setImage(with: nil, placeholder: .uiImage(empty))
      return
    }
    let request = ImageRequest(url: url, size: .fit(width: side, height: side))
    imageView.hc.setImage(with: request, options: options)
  }

  // let imageView = SDAnimatedImageView(); imageView.image = animatedImage
  func play() {
    imageView.hc.setImage(with: url, options: ImageViewOptions(playback: AnimationPlayback(loopCount: .forever)))
    imageView.hc.animation.pause()
  }

  // ImageCache.load(url:downsampleSize:completion:); ImageLoader.shared.loadImage(from: url)
  func load() async throws -> UIImage? {
    try await ImagePipeline.shared.image(for: ImageRequest(url: url, size: .fit(width: 640, height: 640))).uiImage
  }

  // cache.store(image, forKey: key); saveToDisk(image:url:isSticker:) with transparency kept
  func store(_ photo: UIImage) async throws {
    try await ImagePipeline.shared.store(photo, for: ImageRequest(url: url) { $0.storeExpiration = .days(7) })
  }

  // storage.removeAllObjects() on didReceiveMemoryWarning: views call it for their pipelines
  func followApp() { ImagePipeline.shared.cache.followAppLifeCycle() }
}
