import Foundation
import HalcyonBackend
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct EncodedImageResponseTests {
  /// The signature of a PNG file.
  private let data = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])

  private func response(_ headers: HTTPHeaders? = nil, freshness: Duration? = nil) throws -> EncodedImageResponse {
    let url = try #require(URL(string: "http://example.com/a.png"))
    return EncodedImageResponse(
      data: data, origin: .network, head: headers.map { ResponseHead(url: url, status: 200, headers: $0) },
      freshness: freshness)
  }

  @Test func `the entity tag follows from the bytes alone, also in another process`() throws {
    #expect(try response().entityTag == "\"a4c785efc7cdaa37a712387b4742fe8b\"")
    var other = try response()
    other.data.append(0)
    #expect(try other.entityTag != response().entityTag)
  }

  @Test(
    arguments: [
      (nil, nil, "public, max-age=86400"), (["Cache-Control": "max-age=100"], 40, "public, max-age=40"),
      (["Cache-Control": "max-age=100"], nil, "public, max-age=0"),
      (["Cache-Control": "private, max-age=100"], 40, "private, max-age=40"),
      (["Cache-Control": "s-maxage=100"], 40, "public, max-age=40"),
      (["Cache-Control": "private, no-cache"], 0, "private, no-cache"),
      (["Expires": "Thu, 01 Jan 1970 00:00:00 GMT"], 0, "public, max-age=0"),
      (["Cache-Control": "no-store"], 0, "no-store"), (["Cache-Control": "no-cache"], 0, "public, no-cache"),
      // Without a lifetime of its own the caller's counts, not a heuristic one.
      (["Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT"], 900, "public, max-age=86400"),
    ] as [(HTTPHeaders?, Int?, String)])
  func `the lifetime is that of the source`(headers: HTTPHeaders?, freshness: Int?, control: String) throws {
    let response = try response(headers, freshness: freshness.map { .seconds($0) })
    let head = response.httpHead()
    #expect(head.status == 200 && head.headers["Cache-Control"] == control)
  }

  @Test func `a client that has the file gets 304 with the same validators, and no type`() throws {
    let date = "Mon, 02 Jan 2023 03:04:05 GMT"
    let response = try response(["Last-Modified": date], freshness: .seconds(5))
    let tag = response.entityTag
    let whole = response.httpHead(lifetime: .seconds(60), varying: ["Accept", "DPR"])
    #expect(whole.headers["Content-Type"] == "image/png" && whole.headers["Vary"] == "Accept, DPR")
    #expect(whole.headers["Last-Modified"] == date && whole.headers["Cache-Control"] == "public, max-age=60")
    for request: HTTPHeaders in [
      ["If-None-Match": tag], ["If-None-Match": "\"a\", W/\(tag)"], ["If-None-Match": "*"], ["If-Modified-Since": date],
    ] {
      let head = response.httpHead(for: request)
      #expect(head.status == 304 && head.headers["Content-Type"] == nil && head.headers["ETag"] == tag)
    }
    for request: HTTPHeaders in [
      [:], ["If-None-Match": "\"a\""], ["If-None-Match": "\"a\"", "If-Modified-Since": date],
      ["If-Modified-Since": "Mon, 02 Jan 2023 03:04:04 GMT"],
    ] {
      #expect(response.httpHead(for: request).status == 200)
    }
  }

  @Test(
    arguments: [
      (.webp, nil, "image/webp"), (nil, nil, "image/png"), (nil, "text", "application/octet-stream"),
    ] as [(ImageFormat?, String?, String)])
  func `the type is that of the format or else of the first bytes, and clients guess no other`(
    format: ImageFormat?, text: String?, type: String
  ) throws {
    var response = try response()
    response.format = format
    if let text { response.data = Data(text.utf8) }
    let headers = response.httpHead().headers
    #expect(headers["Content-Type"] == type)
    #expect(headers["X-Content-Type-Options"] == "nosniff")
  }

  @Test func `each error has a status`() throws {
    let url = try #require(URL(string: "http://example.com"))
    for (error, status) in [
      (ImageError.invalidURL("x"), 400), (.redirectRejected(to: "x", from: url), 403),
      (.httpStatus(404, url: url), 404), (.httpStatus(410, url: url), 404), (.httpStatus(401, url: url), 401),
      (.httpStatus(403, url: url), 403), (.httpStatus(407, url: url), 502), (.httpStatus(499, url: url), 502),
      (.httpStatus(302, url: url), 502), (.httpStatus(400, url: url), 400), (.httpStatus(498, url: url), 498),
      (.retryLater(after: .seconds(9), status: 429, url: url), 429),
      (.retryLater(after: .seconds(9), status: 503, url: url), 502),
      (.httpStatus(500, url: url), 502), (.notAnImage(contentType: nil, url: url), 422),
      (.tooManyWaiting(limit: 1, url: url), 429),
      (.cancelled, 499), (.notCached(key: "x"), 500), (.timedOut(.seconds(1), url: url), 503),
      (.transport(.idleTimedOut(.seconds(1)), url: url), 504),
      (.allSourcesFailed([.cancelled, .invalidURL("x")]), 400),
      (.failed(cause: ImageEncodingError.unsupportedFormat(.tiff), url: url), 422),
      (.failed(cause: CancellationError(), url: url), 500),
    ] {
      #expect(error.responseStatus == status, "\(error)")
    }
  }
}
