import HalcyonImaging

/// Ends the load of an image for a size that no image can have, before any source is tried.
struct InvalidSize: LoadStep {
  private let size: TargetSize

  /// `nil` if the size is valid, or no image is decoded at once.
  init?(_ load: Load) {
    size = load.request.targetSize
    if size.isValid || load.memory == nil { return nil }
  }

  func load<Value: LoadResult>(
    _ load: Load, _ next: @escaping LoadFunction<Value>, direct: @escaping LoadFunction<Value>
  ) async throws(ImageError) -> Value {
    throw .invalidTargetSize(size)
  }
}
