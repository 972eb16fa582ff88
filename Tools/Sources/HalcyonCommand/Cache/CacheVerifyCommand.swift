import ArgumentParser
import Foundation
import Halcyon
@_spi(Programs) import HalcyonCache
import HalcyonCodecs
@_spi(Programs) import HalcyonImaging

/// `halcyon cache verify`: reads all entries, compares them with their checksums, and looks for images that are cut.
struct CacheVerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks all entries of a cache against their checksums, and for images that end too early.",
    discussion: "Exit status: 0 if all entries are intact; 1 if one is damaged.")

  @OptionGroup var options: CacheOptions

  @Flag(help: "Remove damaged entries, as a program that reads one would do.")
  var remove = false

  @Flag(help: "Print one JSON object.")
  var json = false

  func run() async throws {
    let cache = try options.cache(remove ? CacheOptions.passive : CacheOptions.reading)
    try await Interruption.run { try await verify(cache) }
  }

  private func verify(_ cache: DiskCache) async throws {
    var bar = ProgressBar()
    defer { if Task.isCancelled { bar.interrupt() } else { bar.clear() } }
    let result = try await cache.verify(removesDamaged: remove, isWhole: SourceImage.isWhole) { progress in
      let bytes = ByteCountFormatter.string(fromByteCount: Int64(progress.byteCount), countStyle: .file)
      bar.show(
        fraction: Double(progress.checkedCount) / Double(max(1, progress.totalCount)),
        "\(progress.checkedCount) of \(progress.totalCount), \(bytes)")
    }
    bar.clear()
    let damaged = result.damagedFiles.map { $0.path(percentEncoded: false) }
    if json {
      StandardOutput.write(
        try JSONLine.encode(["checked": result.checkedCount, "bytes": result.byteCount, "damaged": damaged]))
    } else {
      for path in damaged { StandardOutput.write("damaged\(remove ? ", removed" : ""): \(path)") }
      let state = damaged.isEmpty ? "all intact" : "\(damaged.count) damaged"
      StandardOutput.write("Checked \(result.checkedCount.countedEntries): \(state).")
    }
    if !damaged.isEmpty { throw ExitCode.failure }
  }
}
