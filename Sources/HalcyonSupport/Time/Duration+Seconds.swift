extension Duration {
  /// This duration in seconds.
  @inlinable
  package var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }

  /// This duration limited to 0 seconds … 68 years, so that adding it to a clock's time cannot overflow: callers write
  /// `.seconds(Int64.max)` for “never”.
  package var clamped: Duration { min(max(self, .zero), .longest) }

  /// The greatest ``clamped`` duration.
  package static let longest = Duration.seconds(Int64(1) << 31)
}
