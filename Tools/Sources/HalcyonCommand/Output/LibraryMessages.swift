import CHalcyonProcess

/// What C libraries print to standard error, such as the nine lines of libjxl for each damaged file.
public enum LibraryMessages {
  /// Drops them from now on. Those before a crash are still printed, with the message of Swift's runtime.
  ///
  /// Concerns all that is written to the C library's stream `stderr`; call it once.
  public static func drop() { halcyon_drop_stderr() }
}
