import Hummingbird

/// Responds to `GET /thumbnail?url=URL&width=WIDTH`, and passes other requests on.
struct ThumbnailMiddleware<Context: RequestContext>: RouterMiddleware {
  let thumbnails: Thumbnails

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard request.method == .get, request.uri.path == "/thumbnail" else { return try await next(request, context) }
    let parameters = request.uri.queryParameters
    return await thumbnails.response(
      url: parameters.get("url"), width: parameters.get("width"), headers: request.headers)
  }
}
