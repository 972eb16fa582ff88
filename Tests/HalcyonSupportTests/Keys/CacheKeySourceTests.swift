import HalcyonSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct CacheKeySourceTests {
  @Test(arguments: [
    ("|url=3:a/b", "a/b", true), ("|key=3:a/b", "a/b", true), ("|url=3:a/b|size=7:fit 1x1", "a/b", true),
    ("|url=3:a/b", "a/", false), ("|url=3:a/b", "", false), ("|url=3:a/b", "a/bc", false), ("|url=0:", "", true),
    ("|url=3:a/b|size=7:fit 1x1", "a/b|size=7:fit 1x1", false), ("|header=3:a/b", "a/b", false), ("a/b", "a/b", false),
  ])
  func `a key belongs to its whole source, not to one that begins with the same text`(
    _ text: String, _ source: String, _ belongs: Bool
  ) {
    #expect(CacheKey(text).isOf(source: source) == belongs)
  }
}
