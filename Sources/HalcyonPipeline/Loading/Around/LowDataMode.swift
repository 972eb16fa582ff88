import HalcyonHTTP

/// In low data mode: the image in the caches, or else the smaller source of the request. A policy that contacts the
/// server first applies to the smaller source.
struct LowDataMode: LoadStep {
  private let smaller: ImageSource

  /// `nil` if the request has no smaller source, or the network may be used freely.
  init?(_ load: Load, _ configuration: PipelineConfiguration) {
    guard let smaller = load.request.lowDataSource, configuration.prefersLowData() else { return nil }
    self.smaller = smaller
  }

  func load<Value: LoadResult>(
    _ load: Load, _ next: @escaping LoadFunction<Value>, direct: @escaping LoadFunction<Value>
  ) async throws(ImageError) -> Value {
    if load.resolved.cachePolicy.contactsServerFirst { return try await direct(load.from(smaller)) }
    do throws(ImageError) {
      return try await next(load.changed { $0.cachePolicy = .cacheOnly })
    } catch {
      guard case .notCached = error else { throw error }
      load.report(.fallback(to: smaller, after: error))
      return try await direct(load.from(smaller))
    }
  }
}
