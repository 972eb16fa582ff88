import Foundation
import GalleryViews

/// The image files in a folder and its subfolders.
enum FolderListing {
  private static let extensions: Set<String> = [
    "jpg", "jpeg", "png", "gif", "webp", "bmp", "ico", "tif", "tiff", "avif", "jxl", "svg", "apng",
  ]

  /// The files by their extension, sorted by path. Reads no file.
  static func items(in folder: URL) -> [Item] {
    let paths = FileManager.default.enumerator(atPath: folder.path())?.compactMap { $0 as? String } ?? []
    return paths.sorted().map { folder.appending(path: $0) }
      .filter { extensions.contains($0.pathExtension.lowercased()) }
      .map { Item(title: $0.lastPathComponent, badge: $0.pathExtension.uppercased(), url: $0) }
  }
}
