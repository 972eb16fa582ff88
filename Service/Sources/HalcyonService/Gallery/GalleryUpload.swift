import Foundation
import HTTPTypes
import Halcyon
import NIOCore

/// Receives an image from the web page.
struct GalleryUpload: Sendable {
  static let path = "/gallery/uploads"
  let uploads: Uploads
  let maker: ImageMaker

  /// The source of an uploaded image, as JSON.
  ///
  /// The body is read only once the request has a permit and its length is known to be within the limit.
  ///
  /// - Throws: ``ServiceError/uploadTooLarge`` and ``ServiceError/uploadType``; errors of bodies that are no image within
  ///   the limits.
  func response(to request: ServiceRequest) async throws -> ServiceResponse {
    // A type that pages of other sites cannot send without asking first.
    guard request.headers[.contentType] == "application/octet-stream" else { throw ServiceError.uploadType }
    let limit = maker.configuration.limits.encodedByteCount
    guard request.headers[.contentLength].flatMap(Int.init) ?? 0 <= limit else { throw ServiceError.uploadTooLarge }
    let body: Data
    do {
      body = try await request.body(limit)
    } catch is NIOTooManyBytesError {
      throw ServiceError.uploadTooLarge
    }
    let info = try await maker.pipeline.info(for: ImageRequest(source: .data(body)))
    guard info.pixelSize.width * info.pixelSize.height <= maker.configuration.limits.pixelCount else {
      throw ServiceError.uploadTooLarge
    }
    let source = "upload:///" + uploads.add(body)
    let photos = GalleryPhotos(maker: maker)
    return .text(200, try await photos.json(of: source, name: "Your picture"), type: "application/json")
  }
}
