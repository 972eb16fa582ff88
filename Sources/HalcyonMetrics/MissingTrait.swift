// Without the trait Metrics the module counts nothing. The compiler then names the trait where a program uses it.
#if !Metrics
/// Needs the trait Metrics.
@available(*, unavailable, message: "Enable the trait Metrics of Halcyon: .package(url: …, traits: [\"Metrics\"])")
public struct EventMetrics {
  /// Needs the trait Metrics.
  public init() {}
}
#endif
