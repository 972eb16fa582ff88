#if AVIF || JXL
extension Duration {
  /// As browsers show it: 100 ms where a file asks for 10 ms or less.
  static func shown(seconds: Double) -> Duration {
    seconds > 0.010 && seconds.isFinite ? .seconds(min(seconds, 86_400)) : .milliseconds(100)
  }
}
#endif
