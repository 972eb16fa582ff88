public import Foundation

/// The body of a response, read in pieces.
public struct TransportBody: AsyncSequence, Sendable {
  /// Returns the next piece, never empty, or `nil` at the end.
  public typealias Pull = @Sendable () async throws -> Data?

  private let source: any BodySource

  /// Creates a body from a closure that is called for each piece in turn.
  ///
  /// - Parameters:
  ///   - timings: Returns the timings of the transfer; called after the end of the body.
  ///   - pull: Returns the next piece.
  public init(timings: @escaping @Sendable () -> TransportTimings? = { nil }, pull: @escaping Pull) {
    source = ClosureSource(pull: pull, timings: timings)
  }

  package init(_ source: any BodySource) {
    self.source = source
  }

  /// The timings of the transfer, available after the end of the body if the transport measures them.
  public var transferTimings: TransportTimings? { source.timings }

  /// Iterates over the pieces of the body.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let source: any BodySource

    /// The next piece of the body; `nil` at the end.
    public func next() async throws -> Data? { try await source.next() }
  }

  /// Returns an iterator that starts after the last piece read: pieces are not repeated.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source) }
}

/// The source of a body's bytes.
package protocol BodySource: AnyObject, Sendable {
  /// The next piece, never empty; `nil` at the end.
  func next() async throws -> Data?
  /// The timings of the transfer, once it has ended.
  var timings: TransportTimings? { get }
}

private final class ClosureSource: BodySource {
  private let pull: TransportBody.Pull
  private let makeTimings: @Sendable () -> TransportTimings?

  init(pull: @escaping TransportBody.Pull, timings: @escaping @Sendable () -> TransportTimings?) {
    self.pull = pull
    makeTimings = timings
  }

  func next() async throws -> Data? { try await pull() }

  var timings: TransportTimings? { makeTimings() }
}
