extension Duration {
  /// This duration in seconds.
  @inlinable
  package var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
