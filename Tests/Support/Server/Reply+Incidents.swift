extension Reply {
  /// A position in a reply; positions past the end mean the end.
  public enum Position: Sendable {
    /// After this many bytes of the status line and headers: `.head(0)` is before anything is sent.
    case head(Int)
    /// After this many bytes of the body, without chunk sizes: `.body(0)` is right after the headers.
    case body(Int)
    /// After the last byte.
    case end
  }

  /// A delay or failure at a position.
  struct Incident: Sendable {
    enum Kind: Sendable {
      case hold(Gate)
      /// Holds before each `byteCount` bytes from the position on.
      case pace(Gate, byteCount: Int)
      case cut
      case stall
      case reset
      case goDeaf
    }

    let kind: Kind
    let position: Position
  }

  /// Waits at `position` until `gate` lets this reply pass; several holds apply in order.
  public func held(by gate: Gate, at position: Position = .head(0)) -> Reply {
    adding(.hold(gate), at: position)
  }

  /// Makes one write of `byteCount` bytes for each pass through `gate`, from `position` on.
  public func paced(by gate: Gate, byteCount: Int, from position: Position = .head(0)) -> Reply {
    precondition(byteCount > 0, "byteCount must be over 0, got \(byteCount)")
    return adding(.pace(gate, byteCount: byteCount), at: position)
  }

  /// Closes the connection at `position`; `Content-Length` still counts the whole body.
  public func cut(at position: Position) -> Reply {
    adding(.cut, at: position)
  }

  /// Stops sending at `position` and keeps the connection open until the client closes it or the server stops.
  public func stalled(at position: Position) -> Reply {
    adding(.stall, at: position)
  }

  /// Resets the connection (RST) at `position`; the client may lose the last bytes before it.
  public func reset(at position: Position) -> Reply {
    adding(.reset, at: position)
  }

  #if os(Linux)
  /// Ignores all packets from the client from `position` on, without acknowledging them: the connection is dead, as
  /// after a change of network.
  public func deaf(from position: Position = .end) -> Reply {
    adding(.goDeaf, at: position)
  }
  #endif

  private func adding(_ kind: Incident.Kind, at position: Position) -> Reply {
    var reply = self
    reply.incidents.append(Incident(kind: kind, position: position))
    return reply
  }
}
