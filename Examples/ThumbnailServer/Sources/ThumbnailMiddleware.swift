import Foundation
import HTTPTypes
import Halcyon
import HalcyonBackend
import HalcyonHTTP
import Hummingbird

/// Responds to `GET /thumbnail?url=URL&width=WIDTH` with a thumbnail, and passes other requests on.
struct ThumbnailMiddleware<Context: RequestContext>: RouterMiddleware {
  let pipeline: ImagePipeline
  /// Free choice of the width would let anybody fill the cache with thumbnails of one image.
  var widths = [160, 320, 640]
  /// The best first; clients that name none of them in `Accept` get JPEG.
  var formats = FormatChoice([.webp])

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    guard request.method == .get, request.uri.path == "/thumbnail" else { return try await next(request, context) }
    let parameters = request.uri.queryParameters
    let url = parameters.get("url").flatMap { URL(string: $0) }
    guard let url, ["http", "https"].contains(url.scheme?.lowercased()) else {
      throw HTTPError(.badRequest, message: "url has to be an http or https URL.")
    }
    guard let width = parameters.get("width").map({ Int($0) ?? 0 }) ?? widths.last, widths.contains(width) else {
      throw HTTPError(.badRequest, message: "width has to be one of \(widths).")
    }
    do {
      let thumbnail = ImageRequest(url: url, size: .fit(width: width))
      let format = formats.format(accepting: request.headers[.accept]) ?? .jpeg
      return response(try await pipeline.encodedResponse(for: thumbnail, as: format), to: request)
    } catch {
      // Details of an error would tell a stranger about the network of the server.
      throw HTTPError(.init(code: error.responseStatus), message: "The image cannot be loaded.")
    }
  }

  /// The image, or the status 304 for a client that has it.
  private func response(_ image: EncodedImageResponse, to request: Request) -> Response {
    var conditions = HTTPHeaders()
    for field in request.headers { conditions.add(name: field.name.canonicalName, value: field.value) }
    let (status, headers) = image.httpHead(for: conditions, varying: ["Accept"])
    var fields: HTTPFields = [.contentSecurityPolicy: "default-src 'none'"]
    for field in headers.fields {
      if let name = HTTPField.Name(field.name) { fields[name] = field.value }
    }
    let body = status == 304 ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: image.data))
    return Response(status: .init(code: status), headers: fields, body: body)
  }
}
