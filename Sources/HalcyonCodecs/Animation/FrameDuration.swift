/// Frame durations as browsers display them.
enum FrameDuration {
  /// The duration in the file, or 100 ms if it is 10 ms or less: no screen shows such frames, and old encoders wrote
  /// such values to mean "as soon as possible".
  static func displayed(_ duration: Duration) -> Duration {
    duration <= .milliseconds(10) ? .milliseconds(100) : duration
  }

  /// The displayed duration for one in seconds, to the microsecond: one day at most; a duration that is not finite is
  /// 0.
  static func displayed(seconds: Double) -> Duration {
    displayed(seconds.isFinite ? .microseconds(Int64((min(max(seconds, 0), 86_400) * 1e6).rounded())) : .zero)
  }
}
