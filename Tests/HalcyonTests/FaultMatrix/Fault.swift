import Foundation
import Halcyon
import HalcyonHTTP
import HalcyonTestSupport
import Testing

/// A fault of a server or a connection, and the error expected for it.
struct Fault: Sendable, CustomTestStringConvertible {
  let name: String
  /// The name of the expected error case, prefixed with `transport.` for a transport error.
  let error: String
  let limits: TransportLimits
  /// Sets the fault up on a server.
  ///
  /// - Returns: The URL whose request has the fault.
  let prepare: @Sendable (ImageServer) throws -> URL

  init(
    _ name: String, _ error: String, limits: TransportLimits = TransportLimits(),
    prepare: @escaping @Sendable (ImageServer) throws -> URL
  ) {
    self.name = name
    self.error = error
    self.limits = limits
    self.prepare = prepare
  }

  /// A fault in the reply for one path.
  init(_ name: String, _ error: String, limits: TransportLimits = TransportLimits(), reply: Reply) {
    self.init(name, error, limits: limits) { server in server.serve("/a.jpg", reply.closing) }
  }

  /// A fault in the bytes of a response.
  init(_ name: String, _ error: String, head: [String], body: Data = Photos.rocket) {
    self.init(name, error, reply: .raw(head: head, body: body))
  }

  var testDescription: String { name }

  static let all = connections + timeouts + heads + bodies + responses

  static let shortIdleTimeout = TransportLimits(idleTimeout: .milliseconds(100))
}

extension Photos {
  /// The photograph that the servers of these tests serve.
  static let rocket: Data = {
    guard let data = try? Photos.data("rocket.jpg") else { preconditionFailure("rocket.jpg is missing") }
    return data
  }()
}

extension Reply {
  /// The same reply with `Connection: close`.
  var closing: Reply {
    var reply = self
    reply.headers["Connection"] = "close"
    return reply
  }

  /// Exactly these header lines, an empty line and the body.
  static func raw(head: [String], lineEnd: String = "\r\n", body: Data) -> Reply {
    .raw(Data((head.joined(separator: lineEnd) + lineEnd + lineEnd).utf8) + body)
  }
}

extension ImageError {
  /// The name of the case; for a transport error, `transport.` and the name of the case of the underlying error.
  var label: String {
    guard case .transport(let error, _) = self else { return name }
    return "transport." + (Mirror(reflecting: error).children.first?.label ?? "\(error)")
  }
}
