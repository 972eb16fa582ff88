/// What is done about a file that ends early, and whether it did. For one decode, on one thread.
final class PartialImagePolicy {
  /// Whether the part that is there is drawn; an error otherwise.
  let isAccepted: Bool
  var isFound = false

  init(isAccepted: Bool) {
    self.isAccepted = isAccepted
  }
}
