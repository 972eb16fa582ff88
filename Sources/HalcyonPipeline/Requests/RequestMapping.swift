import Foundation

/// The function of a pipeline that changes requests, ``PipelineConfiguration/requestMapper``.
final class RequestMapper: Sendable {
  private let map: @Sendable (inout ImageRequest) throws -> Void

  init(_ map: @escaping @Sendable (inout ImageRequest) throws -> Void) { self.map = map }

  /// The changed request, which is not changed again. One for which the function throws has a source whose loads fail.
  func callAsFunction(_ request: ImageRequest) -> ImageRequest {
    if request.mapping?.mapper === self { return request }
    var mapped = request
    do {
      try map(&mapped)
    } catch {
      let url = request.source.url ?? RequestKeys(request, file: .any).fetch.sourceURL
      let cause = ImageError(requesting: url, error) { .requestRejected(cause: $0, url: $1) }
      mapped = request
      mapped.source = .rejected(request.source, cause)
    }
    mapped.mapping = RequestMapping(original: request, mapper: self)
    return mapped
  }
}

/// The origin of a request that was changed by a ``RequestMapper``.
final class RequestMapping: Sendable {
  let original: ImageRequest
  let mapper: RequestMapper

  init(original: ImageRequest, mapper: RequestMapper) {
    self.original = original
    self.mapper = mapper
  }
}
