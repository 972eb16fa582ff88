import CHalcyonZlib

/// The requests of a trace in order, read from lines of `ms,key,encoded_bytes,decoded_bytes`.
struct Trace {
  /// The size that counts as the cost of an entry.
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
      // The header line.
      if number == 0, let first = fields.first, Int(first) == nil { continue }
      guard fields.count == 4, let encoded = Int(fields[2]), let decoded = Int(fields[3]) else {
        throw SimulationError.malformed(line: number + 1)
      }
      requests.append(Request(key: fields[1], cost: cost == .encoded ? encoded : decoded))
    }
  }

  /// The total bytes of all requests.
  var requestedCost: Int { requests.reduce(0) { $0 + $1.cost } }

  /// The total bytes of all distinct keys.
  var footprint: Int {
    var costs: [Substring: Int] = [:]
    for request in requests { costs[request.key] = request.cost }
    return costs.values.reduce(0, +)
  }

  /// The text of a file; zlib passes uncompressed files through.
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
