import Foundation
import Halcyon
import HalcyonTestTraits
import Testing

@testable import HalcyonService

/// What a client learns of a source that fails.
@Suite(.unitTest)
struct ServiceErrorTests {
  private static let url = URL(filePath: "/a")

  @Test(
    arguments: [(0, 1), (1, 1), (999, 1), (1000, 1), (7000, 7), (7900, 7)])
  func `a client is asked to wait as long as the source asks, but a second at least`(milliseconds: Int, seconds: Int) {
    let error = ImageError.retryLater(after: .milliseconds(milliseconds), status: 429, url: Self.url)
    #expect(ServiceError(error).retryAfter == seconds)
    #expect(ServiceError(error).status == 429)
  }

  @Test(
    arguments: [
      (.connectTimedOut(.seconds(1)), true), (.idleTimedOut(.seconds(1)), true), (.totalTimedOut(.seconds(1)), true),
      (.connectionFailed(host: "a", reason: "b"), false), (.hostNotFound("a"), false),
    ] as [(TransportError, Bool)])
  func `a source that does not respond is told from one that cannot be reached`(error: TransportError, isSlow: Bool) {
    let message = ServiceError(ImageError.transport(error, url: Self.url)).message
    #expect(message == (isSlow ? "The source did not respond in time." : "The source cannot be reached."))
  }
}
