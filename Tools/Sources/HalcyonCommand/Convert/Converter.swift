import Foundation
import Halcyon
import HalcyonPipeline
import Synchronization

/// Converts files on several threads, each of which takes the next file when it has finished one.
final class Converter: Sendable {
  /// How an event of a run is reported.
  typealias Report = @Sendable (Event) -> Void

  enum Event {
    case outcome(SourceFile, Conversion.Outcome)
    case failure(path: String, any Error)
  }

  private let conversion: Conversion
  private let memory: MemoryBudget
  private let files: Mutex<SourceFiles>
  private let claimed = ClaimedOutputs()
  private let report: Report
  private let isCancelled = Atomic(false)

  init(_ conversion: Conversion, _ files: consuming sending SourceFiles, memory: MemoryBudget, report: @escaping Report)
  {
    self.conversion = conversion
    self.files = Mutex(files)
    self.memory = memory
    self.report = report
  }

  /// Converts all files on `width` threads; returns when the last has ended.
  ///
  /// - Throws: `CancellationError` if the task was cancelled: conversions end within milliseconds, encoding with its file.
  func run(width: Int) async throws {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let running = ThreadCount(width) { continuation.resume() }
        for _ in 0..<width {
          let thread = Thread { [self] in
            work()
            running.leave()
          }
          thread.stackSize = 2 << 20
          thread.start()
        }
      }
    } onCancel: {
      isCancelled.store(true, ordering: .relaxed)
    }
    try Task.checkCancellation()
  }

  private func work() {
    while !isCancelled.load(ordering: .relaxed), let item = files.withLock({ $0.next() }) {
      switch item {
      case .file(let file): convert(file)
      case .unreadable(let path, let error): report(.failure(path: path, error))
      case .unmatched(let pattern): report(.failure(path: pattern, ConversionError.unmatched(pattern: pattern)))
      }
    }
  }

  private func convert(_ file: SourceFile) {
    // An output of this run, in a folder that is also a source.
    if !file.isNamed, claimed.contains(file.path) { return }
    do {
      let outcome = try conversion.convert(file, memory: memory, claimed: claimed) { [self] in
        isCancelled.load(ordering: .relaxed)
      }
      report(.outcome(file, outcome))
    } catch {
      // The rest is reported by the signal.
      if !isCancelled.load(ordering: .relaxed) { report(.failure(path: file.title, error)) }
    }
  }
}

/// Calls a closure when the last of some threads has ended.
private final class ThreadCount: Sendable {
  private let running: Atomic<Int>
  private let onEnd: @Sendable () -> Void

  init(_ count: Int, onEnd: @escaping @Sendable () -> Void) {
    running = Atomic(count)
    self.onEnd = onEnd
  }

  func leave() {
    if running.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { onEnd() }
  }
}
