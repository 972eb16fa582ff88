public import Foundation

/// A response of the server, with delays and failures.
///
/// Only the given headers are sent, not even `Date`, plus `Content-Length` or `Transfer-Encoding`; a given header of
/// the same name overrides these, which makes a wrong length possible. The connection is kept alive unless the client
/// or this reply has `Connection: close`.
public struct Reply: Sendable {
  public var status: Int
  public var headers: HeaderFields
  public var body: Data
  var framing = Framing.contentLength
  var incidents: [Incident] = []

  /// How the end of the body is marked.
  enum Framing: Sendable {
    case contentLength
    case chunked([Int])
    case closeDelimited
    /// The body is the whole message, including any head.
    case raw
  }

  /// 200 with `data`.
  public static func body(_ data: Data, headers: HeaderFields = [:]) -> Reply {
    Reply(status: 200, headers: headers, body: data)
  }

  /// Any status code; 204 and 304 have neither body nor length.
  public static func status(_ status: Int, headers: HeaderFields = [:], body: Data = Data()) -> Reply {
    Reply(status: status, headers: headers, body: body)
  }

  /// A redirect to `location`, absolute or relative, sent exactly as written.
  public static func redirect(to location: String, status: Int = 302) -> Reply {
    Reply(status: status, headers: ["Location": location], body: Data())
  }

  /// Exactly these bytes, after which the connection closes: for malformed status lines and headers.
  public static func raw(_ bytes: Data) -> Reply {
    var reply = Reply(status: 0, headers: [:], body: bytes)
    reply.framing = .raw
    return reply
  }

  /// `Transfer-Encoding: chunked`, with chunks of these sizes in bytes, the last repeated to the end of the body.
  public func chunked(_ sizes: Int...) -> Reply {
    precondition(!sizes.isEmpty && sizes.allSatisfy { $0 > 0 }, "sizes must be over 0, got \(sizes)")
    return framed(.chunked(sizes))
  }

  /// HTTP/1.0 without a length: closing the connection ends the body.
  public func closeDelimited() -> Reply {
    framed(.closeDelimited)
  }

  /// Adds `count` headers named `X-Padding-1` and so on, each with a value of `valueByteCount` bytes.
  public func padded(headerCount count: Int, valueByteCount: Int) -> Reply {
    var reply = self
    let value = String(repeating: "p", count: valueByteCount)
    for index in 0..<count { reply.headers.add("X-Padding-\(index + 1)", value) }
    return reply
  }

  private func framed(_ framing: Framing) -> Reply {
    var reply = self
    reply.framing = framing
    return reply
  }
}
