import Foundation
import GalleryViews

/// The pictures in a folder, and in those inside it.
enum FolderListing {
  private static let endings: Set<String> = [
    "jpg", "jpeg", "png", "gif", "webp", "bmp", "ico", "tif", "tiff", "avif", "jxl", "svg", "apng",
  ]

  /// In the order of their paths. Reads no file.
  static func items(in folder: URL) -> [Item] {
    let paths = FileManager.default.enumerator(atPath: folder.path())?.compactMap { $0 as? String } ?? []
    return paths.sorted().map { folder.appending(path: $0) }
      .filter { endings.contains($0.pathExtension.lowercased()) }
      .map { Item(title: $0.lastPathComponent, badge: $0.pathExtension.uppercased(), url: $0) }
  }
}
