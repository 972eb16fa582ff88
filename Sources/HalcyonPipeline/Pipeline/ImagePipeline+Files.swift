import HalcyonImaging
import HalcyonSupport
public import Foundation

extension ImagePipeline {
  /// A file with an image, for other programs: to open, share, drag or attach it.
  ///
  /// It has the bytes of ``data(for:onProgress:)``, from the store or the source, without decoding them, and is named after
  /// the source, with the extension of its format: `photo.jpg`.
  ///
  /// The file is a copy, readable by this user alone. Neither the cache nor the pipeline removes it: remove it, and its
  /// folder if you named none, once the other program has read it. In the temporary directory the system may do so, usually
  /// not before the next start.
  ///
  /// - Parameters:
  ///   - request: The image; with ``CachePolicy/cacheOnly`` only a cached one.
  ///   - folder: An existing folder, in which a file of the same name is replaced. Default: `nil`, a new one in the temporary
  ///     directory of the user.
  /// - Throws: The errors of ``data(for:onProgress:)``; ``ImageError/failed(cause:url:)`` if the file cannot be written.
  public func file(for request: ImageRequest, in folder: URL? = nil) async throws(ImageError) -> URL {
    try await loader.file(for: resolved(request), in: folder)
  }
}

extension ImageLoader {
  fileprivate func file(for request: ImageRequest, in folder: URL?) async throws(ImageError) -> URL {
    let encoded = try await encodedImage(for: request, needsEnd: true)
    do {
      return try await bytes.files.run { _ in try encoded.writeFile(in: folder) }
    } catch {
      throw ImageError(decoding: error, url: encoded.sourceURL)
    }
  }
}

extension EncodedImage {
  fileprivate func writeFile(in folder: URL?) throws -> URL {
    let target = folder ?? URL.temporaryDirectory.appending(path: "halcyon-\(UUID())", directoryHint: .isDirectory)
    if folder == nil {
      try FileManager.default.createDirectory(
        at: target, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    let file = target.appending(path: fileName, directoryHint: .notDirectory)
    try data.write(to: file, options: .atomic)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path(percentEncoded: false))
    return file
  }

  /// The name of the source, and the extension of the format.
  private var fileName: String {
    let url = sourceURL
    let hasName = url.sourceKey == nil && url.scheme?.lowercased() != "data"
    var name = hasName ? url.lastPathComponent : url.sourceKey ?? ""
    if ImageFormat(fileExtension: (name as NSString).pathExtension) != nil {
      name = (name as NSString).deletingPathExtension
    }
    // At most 200 bytes, without what separates folders or hides files.
    let scalars = name.unicodeScalars.filter {
      !"/:\\".unicodeScalars.contains($0) && !$0.properties.isDefaultIgnorableCodePoint && $0.value >= 0x20
    }
    let safe = String(String.UnicodeScalarView(scalars.drop { $0 == "." }.prefix(50)))
    return "\(safe.isEmpty ? "image" : safe).\(info.format.fileExtension)"
  }
}
