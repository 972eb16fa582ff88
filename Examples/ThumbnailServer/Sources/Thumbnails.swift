import Foundation
import HTTPTypes
import Halcyon
import HalcyonHTTP
import HalcyonBackend
import Hummingbird

/// Makes thumbnails of images at URLs that anybody may send.
struct Thumbnails {
  /// Free choice of the width would let anybody fill the cache with thumbnails of one image.
  private static let widths = [160, 320, 640]

  let pipeline: ImagePipeline

  /// A pipeline with limits for everything that others decide.
  static func pipeline(allowing range: AddressRange?) -> ImagePipeline {
    var policy = AddressPolicy.publicInternetOnly
    if let range { policy.allowed = [range] } else { policy.ports = [80, 443] }
    return ImagePipeline(addressPolicy: policy) {
      $0.cache = ImageCache(named: "thumbnails")
      $0.limits = ImageLimits(pixelCount: 50_000_000, encodedByteCount: 10 << 20)
      $0.transportLimits.totalTimeout = .seconds(20)
      $0.options.timeout = .seconds(30)
      $0.options.storage = .encoded(keepsOriginal: false)
      $0.redirectLimit = 3
      $0.connectionLimits.waiting = 500
    }
  }

  func response(url: String?, width: String?, headers: HTTPFields) async -> Response {
    guard let url = url.flatMap({ URL(string: $0) }), ["http", "https"].contains(url.scheme?.lowercased()) else {
      return .text(.badRequest, "url has to be an http or https URL.")
    }
    guard let width = width.map({ Int($0) ?? 0 }) ?? Self.widths.last, Self.widths.contains(width) else {
      return .text(.badRequest, "width has to be one of \(Self.widths).")
    }
    do {
      let request = ImageRequest(url: url, size: .fit(width: width))
      return Response(try await pipeline.encodedResponse(for: request, as: .webp), to: headers)
    } catch {
      // Details of an error would tell a stranger about the network of the server.
      return .text(.init(code: error.responseStatus), "The image cannot be loaded.")
    }
  }
}

extension Response {
  /// An image, or the status 304 for a client that has it.
  fileprivate init(_ image: EncodedImageResponse, to request: HTTPFields) {
    var conditions = HTTPHeaders()
    for field in request { conditions[field.name.canonicalName] = field.value }
    let (status, headers) = image.httpHead(for: conditions)
    var fields: HTTPFields = [.contentSecurityPolicy: "default-src 'none'"]
    for field in headers.fields {
      if let name = HTTPField.Name(field.name) { fields[name] = field.value }
    }
    let body = status == 304 ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: image.data))
    self.init(status: .init(code: status), headers: fields, body: body)
  }

  /// A response of plain text.
  fileprivate static func text(_ status: HTTPResponse.Status, _ text: String) -> Response {
    Response(
      status: status, headers: [.contentType: "text/plain; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(string: text + "\n")))
  }
}
