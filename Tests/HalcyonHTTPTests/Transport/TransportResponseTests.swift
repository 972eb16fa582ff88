import HalcyonHTTP
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct TransportResponseTests {
  @Test(
    arguments: [
      (["Content-Length": "7"], 7), ([:], nil), (["Content-Length": "7, 8"], nil), (["Content-Length": "7,7"], 7),
      (["Content-Length": "7", "Content-Encoding": "gzip"], nil),
      (["Content-Length": "7", "Transfer-Encoding": "chunked"], nil),
    ] as [(HTTPHeaders, Int?)])
  func `the length of a body is known if its bytes are counted`(headers: HTTPHeaders, byteCount: Int?) {
    let response = TransportResponse(status: 200, headers: headers, body: TransportBody { nil })
    #expect(response.expectedByteCount == byteCount)
  }
}
