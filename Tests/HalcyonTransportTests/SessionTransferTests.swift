#if URLSESSION
import Foundation
import HalcyonHTTP
import HalcyonTestTraits
import Testing
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@testable import HalcyonTransport

/// How transfers of a session end.
@Suite(.unitTest)
struct SessionTransferTests {
  private let url = URL(string: "https://example.com/a.png") ?? URL(filePath: "/")

  private func transfer() -> SessionTransfer {
    SessionTransfer(task: URLSession.shared.dataTask(with: url), request: TransportRequest(url: url))
  }

  @Test func `a cancellation by the system is a failed connection`() async {
    let transfer = transfer()
    transfer.end(URLError(.cancelled))
    await #expect(
      throws: TransportError.connectionFailed(host: "example.com", reason: "the system cancelled the transfer")
    ) {
      _ = try await transfer.transfer.head()
    }
  }

  @Test func `a cancellation by the caller is one`() async {
    let transfer = transfer()
    transfer.cancel()
    transfer.end(URLError(.cancelled))
    await #expect(throws: TransportError.cancelled) { _ = try await transfer.transfer.head() }
  }
}
#endif
