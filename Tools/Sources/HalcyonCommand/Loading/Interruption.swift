import ArgumentParser
import Foundation
import Halcyon

/// Ends a command on SIGINT (Ctrl-C) and SIGTERM, after the received part of its downloads has been stored.
enum Interruption {
  private static let signals = [SIGINT, SIGTERM]

  /// Runs `body` until it ends or a signal cancels it. A second signal ends the program at once.
  ///
  /// - Throws: The error of `body`; after a signal an `ExitCode` of 128 plus its number, as shells have it.
  ///
  /// - Parameter pipeline: The pipeline whose downloads are stored; `nil` if there are none.
  static func run(with pipeline: ImagePipeline? = nil, _ body: @escaping @Sendable () async throws -> Void) async throws
  {
    let (installed, installation) = AsyncStream.makeStream(of: Void.self)
    let work = Task {
      // Before its handler is installed, a signal ends the program at once.
      for await _ in installed.prefix(signals.count) {}
      try await body()
    }
    let (received, continuation) = AsyncStream.makeStream(of: Int32.self)
    let sources = signals.map { number in
      #if canImport(Darwin)
      // There a signal with a handler does not reach the source.
      signal(number, SIG_IGN)
      #endif
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler {
        if work.isCancelled { _exit(128 + number) }
        // Its downloads have ended, and store what they have received, when this returns.
        work.cancel()
        continuation.yield(number)
      }
      source.setRegistrationHandler { installation.yield() }
      source.resume()
      return source
    }
    defer { withExtendedLifetime(sources) {} }
    let result = await work.result
    if work.isCancelled, let number = await received.first(where: { _ in true }) {
      await pipeline?.cache.flush()
      throw ExitCode(128 + number)
    }
    try result.get()
  }
}
