import Foundation
import Halcyon
import HalcyonCodecs
import HalcyonImaging

/// The images of the web page, with their sizes and placeholders.
struct GalleryPhotos: Sendable {
  /// The most images of the page.
  private static let limit = 200

  private struct Photo: Encodable {
    let source: String
    let name: String
    let width: Int
    let height: Int
    let bytes: Int
    /// A blurred picture as a `data:` URL; empty if it could not be made.
    let placeholder: String
  }

  let maker: ImageMaker

  /// A list of the images of a folder; files that are no images are left out.
  func json(ofFolder folder: URL) async throws -> String {
    guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
      throw SourceError.unreadable
    }
    let names = files.filter { $0.utf8.first != UInt8(ascii: ".") }
    var photos: [Photo] = []
    for name in names.sorted().prefix(Self.limit) {
      let title = (name as NSString).deletingPathExtension.replacingOccurrences(of: "_", with: " ")
      do {
        photos.append(try await photo("local:///" + name, name: title))
      } catch {
        try Task.checkCancellation()
      }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(photos), as: UTF8.self)
  }

  private func photo(_ source: String, name: String) async throws -> Photo {
    let (info, byteCount) = try await maker.info(for: source)
    return Photo(
      source: source, name: name, width: info.pixelSize.width, height: info.pixelSize.height, bytes: byteCount,
      placeholder: await placeholder(of: source))
  }

  /// The ThumbHash of an image, drawn: stored with the image, or made of a small version.
  private func placeholder(of source: String) async -> String {
    guard var request = try? maker.resolver.request(for: source) else { return "" }
    request.size = .fit(width: 100, height: 100)
    var hash = await maker.pipeline.placeholder(for: request)
    if hash == nil { hash = (try? await maker.pipeline.image(for: request)).map { ThumbHash($0.bitmap) } }
    guard let bitmap = try? hash?.bitmap(), let file = try? await DecodedImage(bitmap: bitmap).encoded(as: .png)
    else { return "" }
    return "data:image/png;base64," + file.base64EncodedString()
  }
}
