#if canImport(CHalcyonMemcached)
import Foundation
import HalcyonTestSupport
import Testing

/// The protocol of memcached over a socket, to look behind the store.
struct RawMemcached: ~Copyable {
  private let socket: Socket

  init(_ server: MemcachedProcess) throws { socket = try Socket.connected(toPort: server.port) }

  func set(_ key: String, _ value: Data) throws {
    let response = try exchange(Data("set \(key) 0 0 \(value.count)\r\n".utf8) + value + Data("\r\n".utf8)) {
      $0.suffix(2) == Data("\r\n".utf8)
    }
    #expect(response == Data("STORED\r\n".utf8))
  }

  func get(_ key: String) throws -> Data? {
    let end = Data("\r\nEND\r\n".utf8)
    let response = try exchange(Data("get \(key)\r\n".utf8)) { $0.suffix(7) == end || $0 == Data("END\r\n".utf8) }
    guard let line = response.range(of: Data("\r\n".utf8)), response.count > 7 else { return nil }
    return Data(response[line.upperBound...].dropLast(7))
  }

  /// The seconds until an item expires; -1 for never, `nil` without it.
  func lifetime(of key: String) throws -> Int? {
    let response = try exchange(Data("mg \(key) t\r\n".utf8)) { $0.suffix(2) == Data("\r\n".utf8) }
    let words = String(decoding: response, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    return words.first { $0.hasPrefix("t") }.flatMap { Int($0.dropFirst()) }
  }

  private func exchange(_ request: Data, until isComplete: (Data) -> Bool) throws -> Data {
    let isSent = socket.send(request)
    #expect(isSent)
    var response = Data()
    while !isComplete(response) {
      let piece = try socket.receive()
      guard !piece.isEmpty else { break }
      response += piece
    }
    return response
  }
}
#endif
