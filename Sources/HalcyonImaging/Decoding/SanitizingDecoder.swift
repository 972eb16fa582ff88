package import Foundation

/// Decodes documents that can contain code, and removes the code from documents that are sent undecoded.
package protocol SanitizingDecoder: ImageDecoder {
  /// The document without code and without references to anything outside of it.
  ///
  /// - Throws: ``ImageDecodingError`` if it is not well-formed.
  func sanitized(_ file: Data) throws -> Data
}
