import Foundation
import HTTPTypes
import NIOCore

/// The web page of the service: its photos, and controls for the options.
enum GalleryPage {
  /// Scripts and styles come from this service only.
  private static let contentSecurityPolicy = """
    default-src 'none'; img-src 'self' blob: data:; style-src 'self'; script-src 'self'; connect-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'
    """

  /// The response with a file of the page; `nil` if the page has none at this path.
  ///
  /// - Parameter hasWatermark: Whether the page has the controls of the watermark.
  static func response(to path: String, hasWatermark: Bool) -> ServiceResponse? {
    switch path {
    case "/": response(with: html(hasWatermark), type: "text/html; charset=utf-8")
    case "/gallery.css": response(with: PackageResources.gallery_css, type: "text/css; charset=utf-8")
    case "/gallery.js": response(with: PackageResources.gallery_js, type: "text/javascript; charset=utf-8")
    default: nil
    }
  }

  private static func html(_ hasWatermark: Bool) -> [UInt8] {
    guard hasWatermark else { return PackageResources.gallery_html }
    let text = String(decoding: PackageResources.gallery_html, as: UTF8.self)
    return Array(text.replacing("data-watermark=\"\"", with: "data-watermark=\"1\"").utf8)
  }

  private static func response(with file: [UInt8], type: String) -> ServiceResponse {
    ServiceResponse(
      status: 200,
      headers: [
        .contentType: type, .cacheControl: "no-cache", .contentSecurityPolicy: contentSecurityPolicy,
        .xContentTypeOptions: "nosniff",
      ],
      body: ByteBuffer(bytes: file))
  }
}
