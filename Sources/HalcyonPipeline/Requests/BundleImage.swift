@_spi(Programs) import HalcyonImaging
public import Foundation

/// An image file of a bundle.
struct BundleImage {
  let url: URL

  /// The marks of scales in the names of files, the one of the most pixels first.
  private static let scales = [("@3x", 3.0), ("@2x", 2.0)]
  private static let extensions = ImageFormat.builtIn.map(\.fileExtension) + ["jpeg", "tif", "heif"]

  /// Looks for the file with the most pixels per point, and for those of known formats if the name has no extension.
  init(_ name: String, in bundle: Bundle) {
    let given = (name as NSString).pathExtension
    let stem = given.isEmpty ? name : (name as NSString).deletingPathExtension
    for mark in Self.scales.map(\.0) + [""] {
      for fileExtension in given.isEmpty ? Self.extensions : [given] {
        guard let found = bundle.url(forResource: stem + mark, withExtension: fileExtension) else { continue }
        url = found
        return
      }
    }
    url = bundle.url(forResource: name, withExtension: nil) ?? bundle.bundleURL.appending(path: name)
  }

  /// The pixels per point that the name of the file says; `nil` if it says nothing.
  var scale: Double? {
    let name = url.deletingPathExtension().lastPathComponent
    return Self.scales.first { name.hasSuffix($0.0) }?.1
  }
}

extension ImageRequest {
  /// A file of a bundle: `setImage(with: .resource("wait.gif"))`.
  ///
  /// Its ``RequestOptions/scale`` is that of the file found, 2 for `wait@2x.gif`; see ``ImageSource/resource(_:in:)``.
  public static func resource(_ name: String, in bundle: Bundle = .main) -> ImageRequest {
    let image = BundleImage(name, in: bundle)
    return ImageRequest(source: .url(image.url)) { if let scale = image.scale { $0.scale = scale } }
  }
}
