import Foundation
import HalcyonTestSupport
import Testing

/// A connection whose bytes a test writes itself, used on one thread.
final class RawConnection {
  private let socket: Socket
  private var received = Data()

  init(toPort port: Int) throws { socket = try .connected(toPort: UInt16(port)) }

  /// Runs `body` with a connection to a service, on a thread of its own, which it may block.
  static func run(
    to service: RunningService, _ body: @escaping @Sendable (RawConnection) throws -> Void
  ) async throws {
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      Thread.detachNewThread {
        continuation.resume(with: Result { try body(RawConnection(toPort: service.port)) })
      }
    }
  }

  func send(_ text: String) {
    let isSent = socket.send(Data(text.utf8))
    #expect(isSent)
  }

  /// The next response.
  func response(hasBody: Bool = true) throws -> RawResponse {
    while true {
      if let response = RawResponse(removedFrom: &received, hasBody: hasBody) { return response }
      let piece = try socket.receive()
      if piece.isEmpty { throw URLError(.networkConnectionLost) }
      received += piece
    }
  }

  /// Reads the first bytes of a response, up to 64 KiB, and drops them.
  func readBeginning() throws {
    let beginning = try socket.receive()
    #expect(beginning.starts(with: Data("HTTP/1.1 200".utf8)))
  }

  /// Whether the server has closed the connection, and sent nothing more before.
  func isClosed() throws -> Bool { try received.isEmpty && socket.receive().isEmpty }
}

/// A response as it was received.
struct RawResponse: Equatable {
  let status: Int
  /// The fields by their names in lower case.
  let headers: [String: String]
  let body: Data

  /// Takes the first response off `bytes`; `nil` if it is not complete.
  init?(removedFrom bytes: inout Data, hasBody: Bool = true) {
    guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let fields = lines.dropFirst().map { $0.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false) }
    headers = Dictionary(
      fields.map { ($0[0].lowercased(), $0.last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "") }
    ) { $1 }
    status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
    let count = hasBody && status != 304 ? Int(headers["content-length"] ?? "") ?? 0 : 0
    guard bytes.endIndex - end.upperBound >= count else { return nil }
    body = Data(bytes[end.upperBound..<end.upperBound + count])
    bytes = Data(bytes[(end.upperBound + count)...])
  }
}
