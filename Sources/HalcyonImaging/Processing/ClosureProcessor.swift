/// A processor that calls a closure.
struct ClosureProcessor: ImageProcessor {
  let identifier: String
  private let body: @Sendable (Bitmap) throws -> Bitmap

  init(identifier: String, _ body: @escaping @Sendable (Bitmap) throws -> Bitmap) {
    self.identifier = ProcessorIdentity("custom").adding(text: identifier).text
    self.body = body
  }

  func process(_ bitmap: Bitmap) throws -> Bitmap { try body(bitmap) }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Calls a closure, and throws the errors that it throws.
  ///
  /// - Parameters:
  ///   - identifier: Identifies the closure and all values that change its result, since it becomes part of cache keys:
  ///     closures with different results need different identifiers. It never equals the identifier of a built-in
  ///     processor.
  ///   - body: Returns the processed bitmap, in accordance with the laws of ``ImageProcessor``.
  public static func custom(
    identifier: String, _ body: @escaping @Sendable (Bitmap) throws -> Bitmap
  ) -> Self {
    BuiltInProcessor(ClosureProcessor(identifier: identifier, body))
  }
}
