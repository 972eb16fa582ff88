/// Tries the sources of a request in their order until one succeeds.
struct Alternatives: LoadStep {
  /// `nil` if the request has only one source.
  init?(_ load: Load) {
    if load.request.alternatives.isEmpty { return nil }
  }

  func load<Value: LoadResult>(
    _ load: Load, _ next: @escaping LoadFunction<Value>, direct: @escaping LoadFunction<Value>
  ) async throws(ImageError) -> Value {
    var errors: [ImageError] = []
    for source in [nil] + load.request.alternatives.map(Optional.some) {
      if let source, let error = errors.last { load.report(.fallback(to: source, after: error)) }
      do throws(ImageError) {
        if let source { return try await direct(load.from(source)) }
        return try await next(load)
      } catch {
        if error.isFinal { throw error }
        errors.append(error)
      }
    }
    throw .allSourcesFailed(errors)
  }
}

extension ImageError {
  /// Whether no alternative is tried: the program has ended the load, or its size is invalid.
  var isFinal: Bool {
    switch self {
    case .cancelled, .pipelineInvalidated, .invalidTargetSize: true
    default: false
    }
  }
}
