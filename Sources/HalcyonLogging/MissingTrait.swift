// Without the trait Logging the module has no logger. The compiler then names the trait where a program uses it.
#if !Logging
/// Needs the trait Logging.
@available(*, unavailable, message: "Enable the trait Logging of Halcyon: .package(url: …, traits: [\"Logging\"])")
public struct EventLogger {
  /// Needs the trait Logging.
  public init() {}
}
#endif
