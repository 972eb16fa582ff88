/// The values of labels for statuses, of which a hostile source could otherwise send hundreds.
enum StatusLabel {
  /// Statuses that are counted one by one: usual ones of HTTP and WebDAV, and 499 for a client that has left.
  private static let known: Set<Int> = [
    200, 201, 202, 203, 204, 206, 300, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410,
    412, 413, 414, 415, 416, 418, 421, 422, 423, 425, 429, 431, 451, 499, 500, 501, 502, 503, 504, 507, 508, 511,
  ]

  /// The status, or the class of one that is not usual, such as `4xx`.
  static func text(_ status: Int) -> String {
    if known.contains(status) { return "\(status)" }
    return (100...599).contains(status) ? "\(status / 100)xx" : "other"
  }

  /// The counts by labels, in their order.
  static func counts(_ statuses: [Int: Int]) -> [(label: String, count: Int)] {
    let counts = Dictionary(statuses.map { (text($0), $1) }, uniquingKeysWith: +)
    return counts.sorted { $0.key < $1.key }.map { ($0, $1) }
  }
}
