#if os(Linux)
import Foundation
import Glibc
import Halcyon
import HalcyonImaging
import HalcyonCodecs
import Synchronization

/// A web server in its own process, with persistent connections and a delay that simulates network latency.
///
/// `/100/large/7.jpg` is a JPEG of about 100 KB after 100 ms, `/0/small/7.jpg` one of about 10 KB without delay.
/// `/limited/small/7.jpg` is served ten times in any second, and else refused with `Retry-After: 1`; `/dated/small/7.jpg`
/// too, with the date a second later. After `/once/small/7.jpg` the connection stays open and serves nothing more; after
/// `/dead/small/7.jpg` it also acknowledges nothing more.
final class BenchOrigin: Sendable {
  /// The requests that a limited path serves in a second.
  static let servedPerSecond = 10

  private let bodies: [String: Data]
  /// When the limited paths have served requests, by their first part.
  private let served = Mutex<[String: [ContinuousClock.Instant]]>([:])

  private init(bodies: [String: Data]) {
    self.bodies = bodies
  }

  /// Serves until the end of standard input, which is closed when the parent process exits.
  static func run() throws {
    let origin = BenchOrigin(bodies: ["small": try jpeg(side: 100), "large": try jpeg(side: 340)])
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        precondition(bind(listener, address, size) == 0 && listen(listener, 1024) == 0, "cannot listen on a port")
        getsockname(listener, address, &size)
        return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { UInt16(bigEndian: $0.pointee.sin_port) }
      }
    }
    FileHandle.standardOutput.write(Data("\(port)\n".utf8))
    start { origin.accept(listener) }
    while !FileHandle.standardInput.availableData.isEmpty {}
  }

  private func accept(_ listener: Int32) {
    while true {
      let connection = Glibc.accept(listener, nil, nil)
      guard connection >= 0 else { continue }
      var isOn: Int32 = 1
      setsockopt(connection, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
      Self.start { [self] in
        serve(connection)
        close(connection)
      }
    }
  }

  private func serve(_ connection: Int32) {
    var request: [UInt8] = []
    var isSilent = false
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      request += buffer.prefix(count)
      guard request.suffix(4) == [13, 10, 13, 10] else { continue }
      // GET /delay/size/name HTTP/1.1
      let parts = request.prefix { $0 != 13 }.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: " ") }
        .map { String(decoding: $0, as: UTF8.self) }
      request = []
      guard !isSilent else { continue }
      guard parts.count > 2, let body = bodies[parts[2]] else { return }
      isSilent = ["once", "dead"].contains(parts[1])
      if let delay = UInt32(parts[1]), delay > 0 { usleep(delay * 1000) }
      if let refusal = refusal(parts[1]) {
        guard send(refusal, to: connection) else { return }
        continue
      }
      let head = "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: \(body.count)\r\n\r\n"
      guard send(Data(head.utf8) + body, to: connection) else { return }
      if parts[1] == "dead" { dropPackets(to: connection) }
    }
  }

  /// Drops all packets to a connection, by a filter of one instruction that returns 0.
  private func dropPackets(to connection: Int32) {
    var instruction = UInt64(UInt16(0x06).littleEndian)
    withUnsafeMutablePointer(to: &instruction) { pointer in
      var program = (count: UInt16(1), instructions: UnsafeMutableRawPointer(pointer))
      setsockopt(
        connection, SOL_SOCKET, SO_ATTACH_FILTER, &program, socklen_t(MemoryLayout.size(ofValue: program)))
    }
  }

  /// The response to a request over the limit of its path.
  private func refusal(_ path: String) -> Data? {
    guard path == "limited" || path == "dated" else { return nil }
    let now = ContinuousClock.now
    let isServed = served.withLock { served in
      served[path, default: []].removeAll { $0.duration(to: now) >= .seconds(1) }
      guard served[path, default: []].count < Self.servedPerSecond else { return false }
      served[path, default: []].append(now)
      return true
    }
    if isServed { return nil }
    let (date, later) = (Self.httpDate(Date()), Self.httpDate(Date() + 1))
    let fields = path == "dated" ? "Date: \(date)\r\nRetry-After: \(later)" : "Retry-After: 1"
    return Data("HTTP/1.1 429 Too Many Requests\r\n\(fields)\r\nContent-Length: 0\r\n\r\n".utf8)
  }

  /// A date as in HTTP (RFC 9110, 5.6.7).
  private static func httpDate(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.string(from: date)
  }

  private func send(_ data: Data, to connection: Int32) -> Bool {
    data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = Glibc.send(connection, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  private static func start(_ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.stackSize = 512 << 10
    thread.start()
  }

  /// Noise, so that a small image has many bytes.
  private static func jpeg(side: Int) throws -> Data {
    var noise: UInt32 = 1
    let bitmap = try Bitmap(size: PixelSize(width: side, height: side), isOpaque: true) { pixels in
      for index in 0..<side * side * 4 {
        noise = noise &* 1_664_525 &+ 1_013_904_223
        pixels[index] = index % 4 == 3 ? 255 : UInt8(noise >> 24)
      }
    }
    return try StandardCodecs.encoder(for: .jpeg).encode(bitmap, options: EncodingOptions(quality: 0.8))
  }
}
#endif
