import HalcyonImaging

/// What the options change of an image on its way out of the pipeline. The caches keep none of it.
extension ImageRequest {
  /// The response as it is handed out; suspends only where pictures of an animation have to be decoded first.
  func delivered(_ response: ImageResponse) async -> ImageResponse {
    guard let options = optionsBox?.options else { return response }
    var response = response
    if options.preloadsFrames == true, let frames = response.image.animation?.frames {
      // The pictures before a damaged one are there all the same.
      try? await frames.preload()
      response.image = response.image.holding(frames)
    }
    response.image = delivered(response.image)
    return response
  }

  /// The image as it is handed out.
  func delivered(_ image: DecodedImage) -> DecodedImage {
    guard let options = optionsBox?.options else { return image }
    var image = image
    if let scale = options.scaleFactor { image.scale = scale }
    return options.imageModifier?(image) ?? image
  }
}
