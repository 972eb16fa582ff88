/// How long browsers show a picture.
enum FrameTime {
  /// What the file says; 100 ms where that is 10 ms or less, which no screen shows and old programs wrote for "soon".
  static func shown(_ duration: Duration) -> Duration {
    duration <= .milliseconds(10) ? .milliseconds(100) : duration
  }
}
