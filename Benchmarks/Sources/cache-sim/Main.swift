import Foundation

/// Replays a trace of requests through the real memory cache, and prints how many of them it missed.
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
      FileHandle.standardError.write(Data("cache-sim: \(error)\n".utf8))
      exit(2)
    }
  }

  private static func ratio(_ part: Int, _ whole: Int) -> String {
    String(format: "%.4f", Double(part) / Double(max(whole, 1)))
  }
}
