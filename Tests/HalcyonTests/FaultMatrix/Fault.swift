import Foundation
import Halcyon
import TestSupport
import Testing

/// One thing that goes wrong between a server and us, and the error that it has to become.
struct Fault: Sendable, CustomTestStringConvertible {
  let name: String
  /// The name of the error's case, `transport.` before one of the transport.
  let error: String
  let limits: TransportLimits
  /// Makes a server do it.
  ///
  /// - Returns: The address that meets it.
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

  /// A fault in how one path is answered.
  init(_ name: String, _ error: String, limits: TransportLimits = TransportLimits(), reply: Reply) {
    self.init(name, error, limits: limits) { server in server.serve("/a.jpg", reply.closing) }
  }

  /// A fault in the bytes of an answer.
  init(_ name: String, _ error: String, head: [String], body: Data = Photos.rocket) {
    self.init(name, error, reply: .raw(head: head, body: body))
  }

  var testDescription: String { name }

  static let all = connections + silences + heads + bodies + answers

  static let hasty = TransportLimits(idleTimeout: .milliseconds(100))
}

extension Photos {
  /// A photograph that all servers here have.
  static let rocket: Data = {
    guard let data = try? Photos.data("rocket.jpg") else { preconditionFailure("rocket.jpg is missing") }
    return data
  }()
}

extension Reply {
  /// The same, and the connection closes after it.
  var closing: Reply {
    var reply = self
    reply.headers["Connection"] = "close"
    return reply
  }

  /// These lines, an empty one and the body, as they are.
  static func raw(head: [String], lineEnd: String = "\r\n", body: Data) -> Reply {
    .raw(Data((head.joined(separator: lineEnd) + lineEnd + lineEnd).utf8) + body)
  }
}

extension ImageError {
  /// The name of the case, and of the transport's case within.
  var label: String {
    guard case .transport(let error, _) = self else { return name }
    return "transport." + (Mirror(reflecting: error).children.first?.label ?? "\(error)")
  }
}
