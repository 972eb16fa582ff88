import HTTPTypes
import NIOCore
import Synchronization

/// The bytes of requests that were answered with results in memory, and the heads of their responses.
///
/// A client or proxy sends the same bytes for the same image each time: they need not be parsed again.
final class RepeatedRequests: Sendable {
  /// How a request was answered.
  struct Answer: Sendable {
    let method: HTTPRequest.Method
    let status: Int
    /// The response up to the fields that differ each time.
    let head: ByteBuffer
    /// ``HTTPField/Name/requestID``, if the request has one.
    let givenID: String?
    weak let result: CachedResult?
  }

  /// Longer heads are parsed each time.
  static let headLimit = 4096
  private static let countLimit = 512

  private let answers = Mutex<[ByteBuffer: Answer]>([:])

  subscript(bytes: ByteBuffer) -> Answer? { answers.withLock { $0[bytes] } }

  /// Keeps the answer to a request. When there are too many, all others are dropped.
  func insert(_ answer: Answer, for bytes: ByteBuffer) {
    // The buffer of a connection has room for much more.
    let key = ByteBuffer(bytes: bytes.readableBytesView)
    let old = answers.withLock { answers in
      let old = answers.count < Self.countLimit ? [:] : answers
      if !old.isEmpty { answers = [:] }
      answers[key] = answer
      return old
    }
    withExtendedLifetime(old) {}
  }
}

extension RepeatedRequests.Answer {
  /// Prepares for requests with the same bytes; `nil` if they have to be parsed.
  init?(_ response: CachedResponse, to request: HTTPRequest, bytes: ByteBuffer) {
    let (status, headers) = (response.response.status, response.response.headers)
    guard let reason = [200: "OK", 304: "Not Modified"][status] else { return nil }
    let connection = request.headerFields[.connection]?.lowercased() ?? "keep-alive"
    guard connection == "keep-alive", String(buffer: bytes).contains(" HTTP/1.1\r\n") else { return nil }
    var head = ByteBuffer(string: "HTTP/1.1 \(status) \(reason)\r\n")
    for field in headers where field.name != .requestID && field.name != .date {
      head.writeString("\(field.name.rawName): \(field.value)\r\n")
    }
    if status == 200 { head.writeString("Content-Length: \(response.result.body.readableBytes)\r\n") }
    let givenID = headers[.requestID] == request.headerFields[.requestID] ? headers[.requestID] : nil
    self.init(method: request.method, status: status, head: head, givenID: givenID, result: response.result)
  }
}

/// Responds to requests with the same bytes as earlier ones, before they are parsed.
///
/// It reads only what begins with a new request: where a piece of a connection is not exactly one request, as the parser saw
/// it, the rest of the connection passes through.
final class RepeatedRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let service: ImageService
  /// The handler behind the parser.
  private let parsed: FastResponses
  private var isAtStart = true

  init(service: ImageService, parsed: FastResponses) { (self.service, self.parsed) = (service, parsed) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard isAtStart, parsed.isIdle else {
      isAtStart = false
      return context.fireChannelRead(data)
    }
    let bytes = unwrapInboundIn(data)
    if parsed.mayRespond(on: context.channel), let repeated = service.repeatedResponse(to: bytes) {
      return send(repeated, context)
    }
    let counts = parsed.counts
    parsed.currentBytes = bytes.readableBytes <= RepeatedRequests.headLimit ? bytes : nil
    context.fireChannelRead(data)
    parsed.currentBytes = nil
    isAtStart = parsed.counts == (counts.heads + 1, counts.ends + 1)
  }

  private func send(_ repeated: ImageService.RepeatedResponse, _ context: ChannelHandlerContext) {
    var head = repeated.head
    head.writeStaticString("Date: ")
    head.writeString(repeated.date)
    head.writeStaticString("\r\nX-Request-ID: ")
    head.writeString(repeated.id)
    head.writeStaticString("\r\n\r\n")
    context.write(wrapOutboundOut(head), promise: nil)
    if let body = repeated.body { context.write(wrapOutboundOut(body), promise: nil) }
    context.flush()
  }
}
