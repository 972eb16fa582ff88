extension Int {
  /// The number with its noun: `1 image`, `2 images`.
  ///
  /// - Parameter plural: The plural, if it is not the noun with an s.
  package func counted(_ noun: String, plural: String? = nil) -> String {
    "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
  }
}
