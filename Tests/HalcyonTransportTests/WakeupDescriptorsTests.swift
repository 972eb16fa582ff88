#if os(Linux) && !URLSESSION
import CHalcyonCurlShim
import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonTransport

@Suite(.integrationTest)
struct WakeupDescriptorsTests {
  @Test func `child processes do not inherit the descriptors that wake libcurl`() throws {
    let loop = CurlLoop(CurlTransport.Configuration())
    defer {
      loop.post(.stop)
      loop.run()
    }
    // A later libcurl opens them with close-on-exec itself.
    let version = try #require(curl_version_info(CURLVERSION_FIRST)?.pointee.version_num)
    #expect(loop.wakeupDescriptors.count == (version < 0x080900 ? 2 : 0))
    #expect(loop.wakeupDescriptors.allSatisfy { fcntl($0, F_GETFD) == FD_CLOEXEC })
  }
}
#endif
