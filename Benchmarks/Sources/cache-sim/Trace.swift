import CZlib

/// Requests in their order: lines of `ms,key,encoded_bytes,decoded_bytes`.
struct Trace {
  /// Which of the two sizes is what an entry costs.
  enum Cost {
    case encoded, decoded
  }

  struct Request {
    var key: Substring
    var cost: Int
  }

  private(set) var requests: [Request] = []

  init(file: String, cost: Cost) throws {
    let text = try Self.text(of: file)
    for (number, line) in text.split(separator: "\n").enumerated() {
      let fields = line.split(separator: ",")
      // The line that names the columns.
      if number == 0, let first = fields.first, Int(first) == nil { continue }
      guard fields.count == 4, let encoded = Int(fields[2]), let decoded = Int(fields[3]) else {
        throw SimulationError.malformed(line: number + 1)
      }
      requests.append(Request(key: fields[1], cost: cost == .encoded ? encoded : decoded))
    }
  }

  /// Bytes of all requests.
  var requestedCost: Int { requests.reduce(0) { $0 + $1.cost } }

  /// Bytes of all different keys.
  var footprint: Int {
    var costs: [Substring: Int] = [:]
    for request in requests { costs[request.key] = request.cost }
    return costs.values.reduce(0, +)
  }

  /// zlib reads files that are not compressed as they are.
  private static func text(of file: String) throws -> String {
    guard let handle = gzopen(file, "rb") else { throw SimulationError.unreadable(file) }
    defer { gzclose(handle) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = gzread(handle, &chunk, UInt32(chunk.count))
      guard count >= 0 else { throw SimulationError.unreadable(file) }
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += chunk[..<Int(count)]
    }
  }
}
