import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline

/// Loading the image again.
extension ImageViewLoad {
  /// Loads the shown image again if the display has more pixels than it was loaded for.
  ///
  /// One reload at a time: a window that is being resized changes its size in many steps.
  func reloadIfLarger(_ request: ImageRequest, on display: any ImageDisplay) {
    guard isCurrent, secondaryTask == nil, viewRequest.usesDisplaySize, binder?.isVisible == true,
      let shownImage, shownImage.isDownsampled, let pixelSize,
      let largerSize = viewRequest.pixelSize(of: display), largerSize.exceeds(pixelSize)
    else { return }
    // Also if the reload fails, so that it is not tried again at every step.
    self.pixelSize = largerSize
    reload(request, on: display) { [self] result in
      if case .success(let response) = result { showImage(response.image) }
      displayDidChange()
    }
  }

  /// Loads the image again, at ``pixelSize``, from a cache if possible: the server has been contacted for this load
  /// already, or is being contacted. An image in memory is shown at once.
  func reload(
    _ request: ImageRequest, on display: any ImageDisplay,
    completion: @escaping @MainActor (Result<ImageResponse, ImageError>) -> Void
  ) {
    var sized = sized(request, for: display)
    sizedRequest = sized
    if sized.freshness.contactsServerFirst { sized.cachePolicy = .standard }
    let lookup = viewRequest.pipeline.lookUpMemory(for: sized)
    if let image = cachedImage(lookup, for: sized) {
      return completion(.success(ImageResponse(memory: image, for: sized)))
    }
    guard sized.freshness.followsHTTP else { return reload(sized, after: lookup, completion: completion) }
    var stored = sized
    stored.cachePolicy = .cacheOnly
    reload(stored, after: lookup) { [self] result in
      switch result {
      case .success, .failure(.cancelled): completion(result)
      case .failure: reload(sized, after: lookup, completion: completion)
      }
    }
  }

  private func reload(
    _ request: ImageRequest, after lookup: MemoryLookup,
    completion: @escaping @MainActor (Result<ImageResponse, ImageError>) -> Void
  ) {
    secondaryTask = load(request, after: lookup) { [self] event in
      guard case .finished(let result) = event else { return }
      secondaryTask = nil
      completion(result)
    }
  }
}

extension PixelSize {
  /// Whether the width or the height is larger.
  fileprivate func exceeds(_ other: PixelSize) -> Bool { width > other.width || height > other.height }
}

extension DecodedImage {
  /// Whether decoding the original file at a larger size may give more detail.
  fileprivate var isDownsampled: Bool {
    info.format == .svg || info.pixelSize.exceeds(size) || facts.isStoredVariant
  }
}
