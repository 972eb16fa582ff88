extension Task where Success == Never, Failure == Never {
  /// Lets other tasks run, in a loop that waits for them.
  ///
  /// - Throws: `CancellationError` when the task is cancelled: by the time limit of the test, if the loop does not end.
  public static func yieldUnlessCancelled() async throws {
    await yield()
    try checkCancellation()
  }
}
