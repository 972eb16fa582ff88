import Foundation

/// Replays a trace of requests through the real memory cache, and prints its miss ratios.
@main
enum Main {
  static func main() throws {
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst())
      let trace = try Trace(file: arguments.file, cost: arguments.cost)
      let outcome = try Simulation(policy: arguments.policy, capacityPercent: arguments.capacityPercent).replay(trace)
      print("requests \(trace.requests.count), capacity \(outcome.capacity) bytes")
      print("METRIC object_miss_ratio \(ratio(outcome.missCount, trace.requests.count)) ratio")
      print("METRIC byte_miss_ratio \(ratio(outcome.missCost, trace.requestedCost)) ratio")
    } catch let error as SimulationError {
      try? FileHandle.standardError.write(contentsOf: Data("cache-sim: \(error)\n".utf8))
      exit(2)
    }
  }

  private static func ratio(_ part: Int, _ whole: Int) -> String {
    String(format: "%.4f", Double(part) / Double(max(whole, 1)))
  }
}

/// An error that keeps a trace from being replayed.
enum SimulationError: Error, CustomStringConvertible {
  case usage(String)
  case unreadable(String)
  case malformed(line: Int)

  var description: String {
    switch self {
    case .usage(let problem):
      """
      \(problem)
      usage: cache-sim --policy adaptive|lru --capacity-percent P --cost encoded|decoded FILE.csv[.gz]
      """
    case .unreadable(let file):
      "\(file) cannot be read. It has to be a CSV file, plain or compressed with gzip."
    case .malformed(let line):
      "Line \(line) does not have the columns ms,key,encoded_bytes,decoded_bytes, or a size is not an integer."
    }
  }
}
