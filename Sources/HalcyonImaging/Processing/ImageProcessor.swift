/// Turns pixels into other pixels.
///
/// A conformer keeps these laws: the same input and the same ``identifier`` give the same output; calls may run at once
/// on several threads; nothing but the bitmap and the conformer's own values is read; no colour of a pixel is above its
/// alpha, by which colours are multiplied.
public protocol ImageProcessor: Sendable {
  /// Everything that changes the result, the values of all parameters included. It becomes part of the cache key.
  var identifier: String { get }

  /// The changed pixels. Whatever is thrown reaches the caller as ``ImageError/processingFailed(identifier:cause:)``.
  func process(_ bitmap: Bitmap) throws -> Bitmap
}
