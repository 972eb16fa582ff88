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

/// The durations of frames in the units of a format. Rounding errors are carried to the next frame, so that an
/// animation keeps its length.
struct RoundedDurations {
  private let unit: Duration
  private let limit: Int
  /// Shorter frames are raised to this, since browsers show them for 100 ms.
  private let least: Int
  private var rest = 0.0

  init(unit: Duration, limit: Int) {
    (self.unit, self.limit) = (unit, limit)
    least = Int(.milliseconds(10) / unit) + 1
  }

  /// The number of units for the next frame.
  mutating func units(for duration: Duration) -> Int {
    let exact = duration / unit + rest
    let lowest = duration > .milliseconds(10) ? least : 0
    let rounded = Int(min(max(exact.rounded(), Double(lowest)), Double(limit)))
    rest = min(max(exact - Double(rounded), -1), 1)
    return rounded
  }
}
