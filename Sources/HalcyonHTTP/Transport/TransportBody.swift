public import Foundation

/// The bytes of a body, pulled piece by piece.
public struct TransportBody: AsyncSequence, Sendable {
  /// The next piece, never empty; `nil` at the end.
  public typealias Pull = @Sendable () async throws -> Data?

  private let source: any BodySource

  /// Creates a body from a closure that is called for one piece after another.
  ///
  /// - Parameters:
  ///   - timings: Asked after the end of the body.
  ///   - pull: Gives the next piece.
  public init(timings: @escaping @Sendable () -> TransportTimings? = { nil }, pull: @escaping Pull) {
    source = ClosureSource(pull: pull, timings: timings)
  }

  package init(_ source: any BodySource) {
    self.source = source
  }

  /// How long the phases of the transfer took; known once the body has ended, where the transport measures it.
  public var transferTimings: TransportTimings? { source.timings }

  /// Gives the pieces of the body.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let source: any BodySource

    /// The next piece of the body; `nil` at the end.
    public func next() async throws -> Data? { try await source.next() }
  }

  /// Starts or goes on reading; the pieces already read do not come again.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source) }
}

/// What gives the bytes of a body.
package protocol BodySource: AnyObject, Sendable {
  /// The next piece, never empty; `nil` at the end.
  func next() async throws -> Data?
  /// How long the transfer took, once it has ended.
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
