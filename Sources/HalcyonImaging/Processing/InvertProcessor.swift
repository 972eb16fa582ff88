/// Inverts all colours, like a photographic negative; alpha is unchanged.
public struct InvertProcessor: ImageProcessor, Hashable {
  /// Creates a processor.
  public init() {}

  /// The name and all parameters.
  public var identifier: String { ProcessorIdentity("invert").text }

  /// The inverted image.
  public func process(_ bitmap: Bitmap) throws -> Bitmap { try LookupTables { 1 - $0 }.apply(to: bitmap) }
}

extension ImageProcessor where Self == InvertProcessor {
  /// Inverts all colours.
  public static var invert: Self { InvertProcessor() }
}
