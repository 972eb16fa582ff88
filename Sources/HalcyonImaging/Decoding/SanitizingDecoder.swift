package import Foundation

/// Decodes documents that can run code, and removes that where they are sent as they are.
package protocol SanitizingDecoder: ImageDecoder {
  /// The document without what runs or refers to anything outside of it.
  ///
  /// - Throws: ``ImageDecodingError`` if it is not well-formed.
  func sanitized(_ file: Data) throws -> Data
}
