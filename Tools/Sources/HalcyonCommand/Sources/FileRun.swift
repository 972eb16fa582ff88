import Foundation
import Synchronization

/// Works on files on several threads, each of which takes the next file when it has finished one.
final class FileRun<Outcome: Sendable>: Sendable {
  enum Event {
    case outcome(SourceFile, Outcome)
    case failure(path: String, any Error)
    case danglingLink
    case skippedFolder
  }

  /// What is done with a file. It is told whether the run has been stopped, and reports each outcome.
  typealias Work =
    @Sendable (
      SourceFile, _ isStopped: @escaping @Sendable () -> Bool, _ report: (Outcome) -> Void
    ) throws -> Void
  /// How an event of a run is reported.
  typealias Report = @Sendable (Event) -> Void

  private let files: Mutex<SourceFiles>
  private let work: Work
  private let report: Report
  /// Whether the task was cancelled, or no other file could be written.
  private let isStopped = Atomic(false)

  init(_ files: consuming sending SourceFiles, work: @escaping Work, report: @escaping Report) {
    self.files = Mutex(files)
    self.work = work
    self.report = report
  }

  /// Takes all files on at most `width` threads; returns when the last has ended, or the disk is full.
  ///
  /// - Throws: `CancellationError` if the task was cancelled: decoding ends within milliseconds, encoding with its file.
  func run(width: Int) async throws {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        startThread(of: width, ThreadCount { continuation.resume() })
      }
    } onCancel: {
      isStopped.store(true, ordering: .relaxed)
    }
    try Task.checkCancellation()
  }

  /// Starts a thread, which starts the next one when it has found a file.
  private func startThread(of width: Int, _ running: ThreadCount) {
    running.enter()
    let thread = Thread { [self] in
      takeFiles { if width > 1 { startThread(of: width - 1, running) } }
      running.leave()
    }
    thread.stackSize = 2 << 20
    thread.start()
  }

  private func takeFiles(onFirst: () -> Void) {
    var isFirst = true
    while !isStopped.load(ordering: .relaxed), let item = files.withLock({ $0.next() }) {
      if isFirst { onFirst() }
      isFirst = false
      switch item {
      case .file(let file): take(file)
      case .unreadable(let path, let error): report(.failure(path: path, error))
      case .danglingLink: report(.danglingLink)
      case .skippedFolder: report(.skippedFolder)
      case .unmatched(let pattern): report(.failure(path: pattern, InputError.unmatched(pattern)))
      }
    }
  }

  private func take(_ file: SourceFile) {
    do {
      try work(file) { [self] in
        isStopped.load(ordering: .relaxed)
      } _: {
        report(.outcome(file, $0))
      }
    } catch {
      // The rest is reported by the signal.
      if isStopped.load(ordering: .relaxed) { return }
      if (error as? OutputError)?.endsRun == true { isStopped.store(true, ordering: .relaxed) }
      report(.failure(path: file.title, error))
    }
  }
}

/// Calls a closure when the last of some threads has ended.
private final class ThreadCount: Sendable {
  private let running = Atomic(0)
  private let onEnd: @Sendable () -> Void

  init(onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

  func enter() { running.add(1, ordering: .relaxed) }

  func leave() {
    if running.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { onEnd() }
  }
}
