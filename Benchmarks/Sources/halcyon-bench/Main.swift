import BenchMetric

/// Runs the benchmarks named by its arguments: `memory`, `disk`, `pipeline`, `loads` or `network`; all of them without
/// arguments.
@main
enum Main {
  static func main() async {
    do { try await run() } catch { endProgram(with: error) }
  }

  private static func run() async throws {
    let subjects = CommandLine.arguments.dropFirst()
    #if os(Linux)
    if subjects == ["origin"] { return try BenchOrigin.run() }
    #endif
    if subjects.isEmpty || subjects.contains("memory") {
      try MemoryBenchmark.run()
      try ReuseBenchmark.run()
    }
    if subjects.isEmpty || subjects.contains("disk") { try await DiskBenchmark.run() }
    #if os(Linux)
    if subjects.isEmpty || subjects.contains("pipeline") { try await PipelineBenchmark.run() }
    if subjects.isEmpty || subjects.contains("loads") { try await LoadsBenchmark.run() }
    if subjects.isEmpty || subjects.contains("network") { try await NetworkBenchmark.run() }
    #endif
  }
}
