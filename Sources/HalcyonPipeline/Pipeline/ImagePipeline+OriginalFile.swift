import HalcyonSupport
import HalcyonImaging
public import Foundation

extension ImagePipeline {
  /// Writes the encoded bytes of a request's image to a file, for other programs.
  ///
  /// The size and the processors of the request are ignored, and its storage policy as by ``data(for:onProgress:)``. The
  /// name of the file is the hash of the request's key, with the extension ``RequestOptions/fileExtension``. The file is
  /// written atomically and replaces one of the same name, but not a symbolic link, to whose target it writes.
  ///
  /// - Parameters:
  ///   - request: The image whose bytes to write.
  ///   - folder: The folder of the file; it is created if missing.
  /// - Returns: The URL of the file.
  /// - Throws: The errors of ``data(for:onProgress:)``, and ``ImageError/failed(cause:url:)`` with the error of the file system.
  public func writeOriginal(for request: ImageRequest, in folder: URL) async throws(ImageError) -> URL {
    let request = resolved(request)
    let body = try await loader.encodedImage(for: request)
    let name = RequestKeys(request).fetch.digest.hexadecimal
    let file = folder.appending(path: "\(name).\(request.fileExtension(for: body.info.format))")
    do {
      try await loader.workers.run { _ in
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try body.data.writeWhole(to: file)
      }
    } catch is CancellationError {
      throw .cancelled
    } catch {
      throw .failed(cause: error, url: file)
    }
    return file
  }
}

extension ImageRequest {
  /// The extension of the file, limited to 16 ASCII letters and digits.
  fileprivate func fileExtension(for format: ImageFormat) -> String {
    let wanted = optionsBox?.options.fileExtension ?? ""
    let letters = wanted.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(16)
    return letters.isEmpty ? format.fileExtension : String(letters)
  }
}
