#if os(Linux)
import Foundation
import Glibc
import Halcyon
import HalcyonImaging
import HalcyonCodecs

/// A web server in its own process, with persistent connections and a delay that simulates network latency.
///
/// `/100/large/7.jpg` is a JPEG of about 100 KB after 100 ms, `/0/small/7.jpg` one of about 10 KB without delay.
final class BenchOrigin: Sendable {
  private let bodies: [String: Data]

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
      guard parts.count > 2, let body = bodies[parts[2]] else { return }
      if let delay = UInt32(parts[1]), delay > 0 { usleep(delay * 1000) }
      let head = "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: \(body.count)\r\n\r\n"
      guard send(Data(head.utf8) + body, to: connection) else { return }
    }
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
