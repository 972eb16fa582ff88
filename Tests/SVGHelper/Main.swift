#if SVG && os(Linux)
import HalcyonCodecs

/// A helper of `IsolatedSVGDecoder`, as a program has one.
@main
enum Main {
  static func main() { IsolatedSVGDecoder.runHelper() }
}
#else
@main
enum Main {
  static func main() {}
}
#endif
