public import HalcyonImaging
import HalcyonSupport

extension DecodedImage {
  /// The image with processors applied in order, on a thread of the library.
  ///
  /// The frames of an animation are processed when they are shown.
  ///
  /// - Throws: The errors of the processors, usually ``ImageProcessingError``; `CancellationError` if the task is
  ///   cancelled.
  public func processed(by processors: [any ImageProcessor]) async throws -> DecodedImage {
    let image = self
    return try await codecThreads.run { flag in try flag.asCurrent { try image.applying(processors) } }
  }

  /// The image with processors applied in order, on the calling thread.
  ///
  /// The frames of an animation are processed when they are shown.
  ///
  /// - Throws: The errors of the processors, usually ``ImageProcessingError``.
  public func processed(by processors: [any ImageProcessor]) throws -> DecodedImage { try applying(processors) }

  private func applying(_ processors: [any ImageProcessor]) throws -> DecodedImage {
    do {
      return try Renderer.standard.processed(self, by: processors, keepsAnimation: true)
    } catch {
      throw error.cause
    }
  }
}

extension Renderer {
  /// With the codecs of the library, for images that are decoded already.
  static let standard = Renderer(encoders: StandardCodecs.encoders, limits: ImageLimits())
}
