package import Foundation

/// A decoder that decodes many regions of a file faster if they are of the same file.
package protocol FileOpeningDecoder: ImageDecoder {
  /// A file with the same pixels, and a decoder for this file only, which remembers where its parts are.
  ///
  /// It may write the file again in another form, which takes as long as decoding it, and then is within the limits.
  ///
  /// - Throws: ``ImageDecodingError`` or `CancellationError`; damage of pixels is left to the decoder.
  func opened(_ file: Data, limits: ImageLimits) throws -> (file: Data, decoder: any ImageDecoder)
}
