import HalcyonHTTP

extension HTTPHeaders.Field {
  /// Whether the field is safe to send: a line break in it, or a colon in its name, would inject another field.
  var isSendable: Bool {
    !name.isEmpty && !(name + value).utf8.contains { $0 == 10 || $0 == 13 || $0 == 0 } && !name.utf8.contains(58)
  }
}
