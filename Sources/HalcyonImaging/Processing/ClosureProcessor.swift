/// A processor that calls a closure.
public struct ClosureProcessor: ImageProcessor {
  /// The identifier of the initialiser with a prefix for custom processors.
  public let identifier: String
  private let body: @Sendable (Bitmap) throws -> Bitmap

  /// Creates a processor.
  ///
  /// - Parameters:
  ///   - identifier: Identifies the closure and all values that change its result, since it becomes part of cache keys:
  ///     closures with different results need different identifiers. It never equals that of a built-in processor.
  ///   - body: Returns the processed bitmap, in accordance with the laws of ``ImageProcessor``.
  public init(identifier: String, _ body: @escaping @Sendable (Bitmap) throws -> Bitmap) {
    self.identifier = ProcessorIdentity("custom").adding(text: identifier).text
    self.body = body
  }

  /// The result of the closure; its errors are rethrown.
  public func process(_ bitmap: Bitmap) throws -> Bitmap { try body(bitmap) }
}

extension ImageProcessor where Self == ClosureProcessor {
  /// Calls a closure that is identified by `identifier` in cache keys.
  public static func custom(
    identifier: String, _ body: @escaping @Sendable (Bitmap) throws -> Bitmap
  ) -> Self {
    ClosureProcessor(identifier: identifier, body)
  }
}
