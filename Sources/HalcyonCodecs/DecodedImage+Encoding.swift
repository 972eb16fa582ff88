public import Foundation
public import HalcyonImaging
import HalcyonSupport

/// Saving images.
///
/// ```swift
/// let thumbnail = try await pipeline.image(for: ImageRequest(url: url, size: .fit(width: 400, height: 400)))
/// try await thumbnail.write(to: URL(filePath: "thumbnail.webp"), quality: 0.8)
/// ```
///
/// Asynchronous code gets the asynchronous methods, which encode on threads of the library; the others encode on the
/// calling thread. The file contains the pixels as they are shown: upright and in the colour space of the bitmap, with a
/// profile if it is Display P3, and without its metadata unless it is passed, as in
/// `image.encoded(as: .jpeg, metadata: ImageMetadata(of: original))`.
///
/// An image with an ``animation`` stays animated in GIF, WebP and AVIF: its frames are decoded, processed and encoded one
/// after another, and ``bitmap`` is not used. Other formats get the still frame. `DecodedImage(bitmap: image.bitmap)` has no
/// animation.
extension DecodedImage {
  /// Encodes the image on a thread of the library.
  ///
  /// - Parameters:
  ///   - format: A format that ``StandardCodecs/encoders`` can write.
  ///   - quality: The quality of lossy formats, from 0 (smallest) to 1 (best).
  ///   - background: The colour behind transparent pixels in formats without transparency.
  ///   - metadata: The metadata to write to JPEG, PNG and WebP, upright and without the thumbnail, as
  ///     ``MetadataPolicy/keep`` says. Default: none.
  /// - Throws: ``ImageEncodingError``; the error of a frame of an animation; `CancellationError` if the task is cancelled
  ///   before the file is encoded.
  /// - Precondition: `quality` is in 0...1.
  public func encoded(
    as format: ImageFormat, quality: Double = 0.8, background: PixelColor = .white,
    metadata: ImageMetadata? = nil
  ) async throws -> Data {
    let image = self
    let options = EncodingOptions(quality: quality, background: background, metadata: metadata)
    return try await codecThreads.run { flag in try flag.asCurrent { try image.encoded(as: format, options) } }
  }

  /// Encodes the image on the calling thread.
  ///
  /// - Parameters:
  ///   - format: A format that ``StandardCodecs/encoders`` can write.
  ///   - quality: The quality of lossy formats, from 0 (smallest) to 1 (best).
  ///   - background: The colour behind transparent pixels in formats without transparency.
  ///   - metadata: The metadata to write to JPEG, PNG and WebP, upright and without the thumbnail, as
  ///     ``MetadataPolicy/keep`` says. Default: none.
  /// - Throws: ``ImageEncodingError``; the error of a frame of an animation.
  /// - Precondition: `quality` is in 0...1.
  public func encoded(
    as format: ImageFormat, quality: Double = 0.8, background: PixelColor = .white, metadata: ImageMetadata? = nil
  ) throws -> Data {
    try encoded(as: format, EncodingOptions(quality: quality, background: background, metadata: metadata))
  }

  /// Encodes the image and writes the file, on a thread of the library.
  ///
  /// The file is written atomically: it is complete or not there, and replaces one of the same name, whose permissions it
  /// keeps. Devices, pipes and the targets of symbolic links are written to, and not replaced.
  ///
  /// - Parameters:
  ///   - file: The URL of the file. Its folder must exist.
  ///   - format: The format. Default: the one that the extension of the file names, for example WebP for `.webp`.
  ///   - quality: The quality of lossy formats, from 0 (smallest) to 1 (best).
  ///   - background: The colour behind transparent pixels in formats without transparency.
  ///   - metadata: The metadata to write to JPEG, PNG and WebP, upright and without the thumbnail, as
  ///     ``MetadataPolicy/keep`` says. Default: none.
  /// - Throws: ``ImageEncodingError``; the error of a frame of an animation; `CancellationError` if the task is cancelled
  ///   before the file is encoded.
  /// - Precondition: `quality` is in 0...1.
  public func write(
    to file: URL, as format: ImageFormat? = nil, quality: Double = 0.8, background: PixelColor = .white,
    metadata: ImageMetadata? = nil
  ) async throws {
    let image = self
    let options = EncodingOptions(quality: quality, background: background, metadata: metadata)
    try await codecThreads.run { flag in
      try flag.asCurrent { try image.write(to: file, as: format, options) }
    }
  }

  /// Encodes the image and writes the file, on the calling thread.
  ///
  /// The file is written atomically: it is complete or not there, and replaces one of the same name, whose permissions it
  /// keeps. Devices, pipes and the targets of symbolic links are written to, and not replaced.
  ///
  /// - Parameters:
  ///   - file: The URL of the file. Its folder must exist.
  ///   - format: The format. Default: the one that the extension of the file names, for example WebP for `.webp`.
  ///   - quality: The quality of lossy formats, from 0 (smallest) to 1 (best).
  ///   - background: The colour behind transparent pixels in formats without transparency.
  ///   - metadata: The metadata to write to JPEG, PNG and WebP, upright and without the thumbnail, as
  ///     ``MetadataPolicy/keep`` says. Default: none.
  /// - Throws: ``ImageEncodingError``; the error of a frame of an animation.
  /// - Precondition: `quality` is in 0...1.
  public func write(
    to file: URL, as format: ImageFormat? = nil, quality: Double = 0.8, background: PixelColor = .white,
    metadata: ImageMetadata? = nil
  ) throws {
    try write(to: file, as: format, EncodingOptions(quality: quality, background: background, metadata: metadata))
  }

  private func encoded(as format: ImageFormat, _ options: EncodingOptions) throws -> Data {
    do {
      return try Renderer.standard.encoded(self, as: format, options)
    } catch {
      throw error.cause
    }
  }

  private func write(to file: URL, as format: ImageFormat?, _ options: EncodingOptions) throws {
    guard let format = format ?? ImageFormat(fileExtension: file.pathExtension) else {
      throw ImageEncodingError.unknownFileExtension(file)
    }
    let data = try encoded(as: format, options)
    do {
      try data.writeWhole(to: file)
    } catch {
      throw ImageEncodingError.unwritable(file, reason: (error as NSError).localizedDescription)
    }
  }
}

/// The threads on which images are decoded, processed and encoded without a pipeline, as many as the machine has cores.
let codecThreads = WorkerPool(name: "codec", width: ProcessInfo.processInfo.activeProcessorCount)
