import AsyncHTTPClient
import Foundation
import HTTPTypes
import Halcyon
import HummingbirdCore
import NIOCore
import NIOHTTP1

extension Response {
  init(_ status: Int, _ headers: Halcyon.HTTPHeaders, body: ResponseBody) {
    self.init(status: HTTPResponse.Status(code: status), headers: HTTPFields(headers), body: body)
  }

  /// An answer that is passed on as it came.
  init(_ answer: HTTPClientResponse, status: String) {
    var headers = Halcyon.HTTPHeaders()
    for field in answer.headers { headers.add(name: field.name, value: field.value) }
    headers = headers.endToEnd
    headers["Cache-Status"] = "halcyon; \(status)"
    let length = headers["Content-Length"].flatMap(Int.init)
    let body = ResponseBody(contentLength: length) { writer in
      for try await piece in answer.body { try await writer.write(piece) }
      try await writer.finish(nil)
    }
    self.init(Int(answer.status.code), headers, body: body)
  }

  /// A 304 with the fields that it may have.
  static func notModified(_ headers: Halcyon.HTTPHeaders, body: ResponseBody = ResponseBody()) -> Response {
    let dropped: Set<String> = ["content-length", "content-type", "content-encoding", "content-range"]
    return Response(304, headers.filter { !dropped.contains($0.name.lowercased()) }, body: body)
  }

  /// An answer of the proxy itself, with a text for people.
  static func failure(_ status: Int, _ text: String) -> Response {
    let headers: Halcyon.HTTPHeaders = ["Content-Type": "text/plain; charset=utf-8", "Cache-Status": "halcyon"]
    return Response(status, headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text + "\n")))
  }

  /// The server gave no answer: 504 when it took too long, else 502.
  static func failure(_ error: any Error, origin: URL) -> Response {
    let isTimeout =
      switch error {
      case TransportError.connectTimedOut, TransportError.idleTimedOut: true
      case let error as HTTPClientError: [.connectTimeout, .readTimeout, .deadlineExceeded].contains(error)
      default: false
      }
    return failure(isTimeout ? 504 : 502, "No answer from \(origin.absoluteString). \(error)")
  }
}
