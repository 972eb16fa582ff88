import Foundation

/// One step in sending a reply; `cut`, `stall` and `reset` are always the last.
enum ReplyStep: Sendable {
  case send(Data)
  case hold(Gate)
  case cut
  case stall
  case reset
  case goDeaf
}

extension Reply {
  /// All steps of the reply to a request with `method`, in order.
  func steps(for method: String) -> [ReplyStep] {
    let message = ReplyMessage(self, method: method)
    var steps: [ReplyStep] = []
    var sentCount = 0

    func send(upTo offset: Int) {
      guard offset > sentCount else { return }
      steps.append(.send(message.bytes[sentCount..<offset]))
      sentCount = offset
    }

    for (offset, step) in scheduledSteps(in: message) {
      send(upTo: offset)
      steps.append(step)
      if step.isLast { return steps }
    }
    send(upTo: message.bytes.count)
    return steps
  }

  /// Whether another request may follow on the same connection.
  var keepsAlive: Bool {
    switch framing {
    case .closeDelimited, .raw: false
    case .contentLength, .chunked: headers["Connection"]?.lowercased() != "close"
    }
  }

  private func scheduledSteps(in message: ReplyMessage) -> [(offset: Int, step: ReplyStep)] {
    var scheduled: [(offset: Int, step: ReplyStep)] = []
    for incident in incidents {
      let offset = message.offset(of: incident.position)
      switch incident.kind {
      case .hold(let gate): scheduled.append((offset, .hold(gate)))
      case .pace(let gate, let byteCount):
        let writes = stride(from: offset, to: message.bytes.count, by: byteCount)
        scheduled += writes.map { ($0, .hold(gate)) }
      case .cut: scheduled.append((offset, .cut))
      case .stall: scheduled.append((offset, .stall))
      case .reset: scheduled.append((offset, .reset))
      // Before the last byte at the latest, so that nothing that the client sends afterwards arrives.
      case .goDeaf: scheduled.append((min(offset, message.bytes.count - 1), .goDeaf))
      }
    }
    return scheduled.sorted { $0.offset < $1.offset }
  }
}

extension ReplyStep {
  fileprivate var isLast: Bool {
    switch self {
    case .send, .hold, .goDeaf: false
    case .cut, .stall, .reset: true
    }
  }
}
