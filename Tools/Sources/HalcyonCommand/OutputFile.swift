import ArgumentParser
import Foundation
import Halcyon

/// A file to be written, in the format that its name says.
struct OutputFile {
  private let path: String
  private let format: ImageFormat

  init(path: String) throws {
    self.path = path
    switch URL(filePath: path).pathExtension.lowercased() {
    case "jpg", "jpeg": format = .jpeg
    case "png": format = .png
    case let other:
      throw ValidationError("Cannot write “.\(other)” files: \(path). Name the output .jpg or .png.")
    }
  }

  /// Writes the image whole or not at all. An image that was not changed keeps its bytes.
  func write(_ response: ImageResponse, of request: ImageRequest, from pipeline: ImagePipeline) async throws {
    let data: Data
    if response.image.info.format == format, response.image.size == response.image.info.pixelSize {
      data = try await pipeline.data(for: request)
    } else {
      guard let encoder = pipeline.configuration.encoders.first(where: { $0.format == format }) else {
        throw ImageEncodingError.unsupportedFormat(format)
      }
      data = try encoder.encode(response.image.bitmap, options: EncodingOptions())
    }
    try data.write(to: URL(filePath: path), options: .atomic)
  }
}
