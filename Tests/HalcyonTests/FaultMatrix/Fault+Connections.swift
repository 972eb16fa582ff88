import Foundation
import Halcyon
import HalcyonHTTP
import HalcyonTestSupport

extension Fault {
  /// Connections that fail or are closed too early.
  static let connections: [Fault] =
    [
      Fault("refused", "transport.connectionFailed") { try $0.refusingURL("/a.jpg") },
      Fault("closed before the first byte", "transport.connectionLost", reply: .body(Photos.rocket).cut(at: .head(0))),
      Fault("closed in the head", "transport.connectionLost", reply: .body(Photos.rocket).cut(at: .head(20))),
    ] + resets + cuts

  private static let resets = [Reply.Position.head(0), .head(20), .body(0), .body(50_000)].map { position in
    Fault("reset at \(position)", "transport.connectionLost", reply: .body(Photos.rocket).reset(at: position))
  }

  private static let cuts = [0, 1, 50, 99].flatMap { percent in
    let position = Reply.Position.body(Photos.rocket.count * percent / 100)
    return [
      Fault("cut at \(percent) %", "transport.connectionLost", reply: .body(Photos.rocket).cut(at: position)),
      Fault(
        "cut in chunks at \(percent) %", "transport.connectionLost",
        reply: .body(Photos.rocket).chunked(1000).cut(at: position)),
      Fault(
        "cut without a length at \(percent) %", percent == 0 ? "emptyResponse" : "decoding",
        reply: .body(Photos.rocket).closeDelimited().cut(at: position)),
    ]
  }

  /// Servers that send nothing, or too slowly.
  static let timeouts: [Fault] =
    [Reply.Position.head(0), .head(20), .body(0), .body(50_000)].map { position in
      Fault(
        "stalled at \(position)", "transport.idleTimedOut", limits: shortIdleTimeout,
        reply: .body(Photos.rocket).stalled(at: position))
    } + [
      Fault("stalled before the announced length", "transport.idleTimedOut", limits: shortIdleTimeout) { server in
        let headers: HeaderFields = ["Content-Length": "\(Photos.rocket.count + 10)"]
        return server.serve("/a.jpg", .body(Photos.rocket, headers: headers).stalled(at: .end))
      },
      Fault(
        "a byte at a time", "transport.totalTimedOut",
        limits: TransportLimits(totalTimeout: .milliseconds(200))
      ) { server in
        let gate = Gate()
        let url = server.serve("/a.jpg", .body(Photos.rocket).paced(by: gate, byteCount: 1).closing)
        gate.release(20)
        return url
      },
    ]
}
