/// Measures what its arguments name, `disk` or nothing else yet; everything without arguments.
@main
enum Main {
  static func main() async throws {
    let subjects = CommandLine.arguments.dropFirst()
    if subjects.isEmpty { try await MemoryHitBenchmark.run() }
    if subjects.isEmpty { try DownsampleBenchmark.run() }
    if subjects.isEmpty || subjects.contains("disk") { try await DiskBenchmark.run() }
  }
}
