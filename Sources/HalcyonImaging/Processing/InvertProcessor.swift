/// Inverts all colours, like a photographic negative; alpha is unchanged.
struct InvertProcessor: ImageProcessor {

  var identifier: String { ProcessorIdentity("invert").text }

  func process(_ bitmap: Bitmap) throws -> Bitmap { try LookupTables { 1 - $0 }.apply(to: bitmap) }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Inverts all colours.
  public static var invert: Self { BuiltInProcessor(InvertProcessor()) }
}
