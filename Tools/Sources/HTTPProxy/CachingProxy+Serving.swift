import Foundation
import HTTPTypes
import Halcyon
import HummingbirdCore
import NIOCore

extension CachingProxy {
  /// A stored answer, or as much of it as the request needs.
  func serve(_ entry: StoredEntry?, to exchange: Exchange, status: String) -> Response {
    guard let entry else { return .failure(500, "The cache lost its answer.") }
    var headers = cache.rules.servedHeaders(of: entry.metadata, at: Date())
    headers["Cache-Status"] = "halcyon; \(status)"
    guard entry.metadata.status == 200 else {
      return response(entry.metadata.status, headers, body: entry.body)
    }
    if entry.metadata.isKnown(to: exchange.fields.conditions) { return .notModified(headers) }
    guard exchange.request.method == .get else { return response(200, headers, body: entry.body) }
    switch ByteRange(exchange.fields.cacheable, stored: headers, byteCount: entry.body.count) {
    case nil:
      return response(200, headers, body: entry.body)
    case .unsatisfiable:
      headers["Content-Range"] = "bytes */\(entry.body.count)"
      return response(416, headers, body: Data())
    case .part(let range):
      headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(entry.body.count)"
      let start = entry.body.startIndex
      let part = entry.body[(start + range.lowerBound)..<(start + range.upperBound)]
      return response(206, headers, body: part)
    }
  }

  /// An answer of the server, passed on while it arrives, and kept once it is whole.
  func deliver(_ answer: OriginAnswer, draft: StorableResponse?, to exchange: Exchange, status: String) -> Response {
    var headers = answer.head.headers.endToEnd
    headers["Cache-Status"] = "halcyon; \(status)"
    let isKnown = answer.head.status == 200 && answer.head.isKnown(to: exchange.fields.conditions)
    let length = headers["Content-Length"].flatMap(Int.init)
    let body = ResponseBody(contentLength: isKnown ? 0 : length) { [cache] writer in
      var keeper = draft.map { BodyKeeper(draft: $0) }
      // The last piece waits until the answer is kept: whoever has it all may ask again at once.
      var last = Data()
      for try await piece in answer.body {
        if !isKnown { try await writer.write(ByteBuffer(bytes: last)) }
        keeper?.add(piece)
        last = piece
      }
      await keeper?.store(in: cache)
      if !isKnown { try await writer.write(ByteBuffer(bytes: last)) }
      try await writer.finish(nil)
    }
    return isKnown ? .notModified(headers, body: body) : Response(answer.head.status, headers, body: body)
  }

  private func response(_ status: Int, _ headers: HTTPHeaders, body: Data) -> Response {
    var headers = headers
    headers["Content-Length"] = String(body.count)
    return Response(status, headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
  }
}

/// Collects a body while it is passed on.
private struct BodyKeeper {
  let draft: StorableResponse
  private var body: Data? = Data()

  init(draft: StorableResponse) {
    self.draft = draft
  }

  mutating func add(_ piece: Data) {
    body?.append(piece)
    if let body, body.count > OriginAnswer.storedByteLimit { self.body = nil }
  }

  func store(in cache: HTTPCache) async {
    // A cache that cannot keep the answer does not keep it from whoever asked; the disk cache counts its errors.
    if let body { try? await cache.store(draft, body: body) }
  }
}
