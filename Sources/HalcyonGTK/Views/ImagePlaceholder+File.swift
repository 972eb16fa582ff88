#if canImport(CHalcyonGTK)
public import Foundation
public import HalcyonViews
import CHalcyonGTK

extension ImagePlaceholder {
  /// An image file of a format that GTK reads (PNG, JPEG, TIFF), such as a resource of the program: for
  /// ``FailureContent/shows(_:)`` as well.
  ///
  /// ```swift
  /// ImageViewOptions.global.placeholder = .file(folder.appending(path: "no-photo.png"))
  /// ```
  ///
  /// The file is read on the main thread when the placeholder is shown for the first time; its texture is kept with the
  /// placeholder. A file that cannot be read shows nothing.
  public static func file(_ url: URL) -> ImagePlaceholder {
    let texture = FileTexture(url)
    return .view { texture.pointer as Any }
  }
}

/// The texture of a file, created at its first use.
@MainActor
private final class FileTexture {
  private let url: URL
  private lazy var reference = gdk_texture_new_from_filename(url.path, nil).map { ObjectReference(adopting: $0) }

  nonisolated init(_ url: URL) { self.url = url }

  var pointer: OpaquePointer? { reference?.pointer }
}
#endif
