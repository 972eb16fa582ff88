/// How long browsers show a picture.
enum FrameTime {
  /// What the file says; 100 ms where that is 10 ms or less, which no screen shows and old programs wrote for "soon".
  static func shown(_ duration: Duration) -> Duration {
    duration <= .milliseconds(10) ? .milliseconds(100) : duration
  }

  /// The same for a file that says seconds; what is no number is no time, and no picture stays over a day.
  static func shown(seconds: Double) -> Duration {
    shown(seconds.isFinite ? .seconds(min(seconds, 86_400)) : .zero)
  }
}
