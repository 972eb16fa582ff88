/// Turns every colour into its opposite, as a photographic negative; transparency stays.
public struct InvertProcessor: ImageProcessor, Hashable {
  /// Creates a processor.
  public init() {}

  /// The name and all parameters.
  public var identifier: String { ProcessorIdentity("invert").text }

  /// The negative.
  public func process(_ bitmap: Bitmap) throws -> Bitmap { try LookupTables { 1 - $0 }.apply(to: bitmap) }
}

extension ImageProcessor where Self == InvertProcessor {
  /// Turns every colour into its opposite.
  public static var invert: Self { InvertProcessor() }
}
