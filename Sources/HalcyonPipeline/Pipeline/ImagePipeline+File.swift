import HalcyonSupport
import HalcyonImaging
public import Foundation

extension ImagePipeline {
  /// Writes the encoded bytes of a request's image into a file that other programs can open; its size and processors do
  /// not matter.
  ///
  /// The file is named after the request's key, and ends with ``RequestOptions/fileExtension``. It is there whole or not
  /// at all; one of the same name is replaced.
  ///
  /// - Parameter folder: Where to write; it is made when missing.
  /// - Returns: The address of the file.
  /// - Throws: What ``data(for:)`` throws; ``ImageError/failed(cause:url:)`` with what the file system says.
  public func writeFile(for request: ImageRequest, in folder: URL) async throws(ImageError) -> URL {
    let request = resolved(request)
    let body = try await loader.encodedImage(for: request)
    let name = RequestKeys(request).fetch.digest.hexadecimal
    let file = folder.appending(path: "\(name).\(request.fileExtension(for: body.info.format))")
    do {
      try await loader.workers.run { _ in
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try body.data.write(to: file, options: .atomic)
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
  /// Nothing but letters and digits reaches the name of a file.
  fileprivate func fileExtension(for format: ImageFormat) -> String {
    let wanted = optionsBox?.options.fileExtension ?? ""
    let letters = wanted.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(16)
    return letters.isEmpty ? format.fileExtension : String(letters)
  }
}
