import Foundation
import Halcyon

/// The images of the folder of local sources, for the web page.
struct GalleryPhotos: Sendable {
  /// The most images of the page.
  private static let limit = 200

  private struct Photo: Encodable {
    let source: String
    let name: String
    let width: Int
    let height: Int
    let bytes: Int
  }

  let folder: URL
  let maker: ImageMaker

  /// A list of sources with their sizes; files that are no images are left out.
  func json() async throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
    var photos: [Photo] = []
    for name in names.sorted().prefix(Self.limit) {
      let source = "local:///" + name
      guard let (info, byteCount) = try? await maker.info(for: source) else {
        try Task.checkCancellation()
        continue
      }
      let title = (name as NSString).deletingPathExtension.replacingOccurrences(of: "_", with: " ")
      photos.append(
        Photo(
          source: source, name: title, width: info.pixelSize.width, height: info.pixelSize.height, bytes: byteCount))
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(photos), as: UTF8.self)
  }
}
