/// A processor made of a function.
public struct ClosureProcessor: ImageProcessor {
  /// The given one, marked as a user's own.
  public let identifier: String
  private let body: @Sendable (Bitmap) throws -> Bitmap

  /// Creates a processor.
  ///
  /// - Parameters:
  ///   - identifier: Everything that changes the result, by which images are kept and shared: two functions that give
  ///     other pixels need other identifiers. It is kept apart from those of the processors of this library.
  ///   - body: Makes the new pixels, by the laws of ``ImageProcessor``.
  public init(identifier: String, _ body: @escaping @Sendable (Bitmap) throws -> Bitmap) {
    self.identifier = ProcessorIdentity("custom").adding(text: identifier).text
    self.body = body
  }

  /// What the function gives.
  public func process(_ bitmap: Bitmap) throws -> Bitmap { try body(bitmap) }
}

extension ImageProcessor where Self == ClosureProcessor {
  /// Calls a function, which is known by its identifier.
  public static func custom(
    identifier: String, _ body: @escaping @Sendable (Bitmap) throws -> Bitmap
  ) -> Self {
    ClosureProcessor(identifier: identifier, body)
  }
}
