import Halcyon
import HalcyonSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct VersionTests {
  @Test func `the default User-Agent contains the version`() {
    let pipeline = ImagePipeline { $0.cache = ImageCache(disk: nil) }
    #expect(pipeline.configuration.headers["User-Agent"] == "Halcyon/\(HalcyonVersion.current)")
  }
}
