import Foundation
import HTTPTypes
import Halcyon
import NIOCore

/// Receives an image from the web page.
struct GalleryUpload: Sendable {
  static let path = "/gallery/uploads"
  let uploads: Uploads
  let maker: ImageMaker

  private var byteLimit: Int { maker.configuration.limits.encodedByteCount }

  /// Refuses an upload by its head.
  func check(_ request: ServiceRequest) throws(ServiceError) {
    // A type that pages of other sites cannot send without asking first.
    guard request.headers[.contentType] == "application/octet-stream" else { throw .uploadType }
    // A length that does not fit into an integer is over the limit.
    let length = request.headers[.contentLength].map { Int($0) ?? .max } ?? 0
    guard length <= byteLimit else { throw .uploadTooLarge }
  }

  /// The source of an uploaded image, as JSON.
  ///
  /// - Throws: ``ServiceError/uploadTooLarge``; errors of bodies that are no image within the limits.
  func response(to request: ServiceRequest) async throws -> ServiceResponse {
    let body: Data
    do {
      body = try await request.body?(byteLimit) ?? Data()
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
