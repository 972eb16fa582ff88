import HalcyonSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonBackend

/// Which reads of a tier overlap a change, so that what they have read may be older than it.
@Suite(.unitTest)
struct OverlappingReadsTests {
  private let reads = OverlappingReads()

  @Test(arguments: [CacheKey("a"), nil]) func `a read is overlapped by a change that begins or ends during it`(
    changed: CacheKey?
  ) {
    // Before the read.
    reads.beginChange(changed)
    reads.endChange(changed)
    let first = reads.begin("a")
    #expect(!reads.isChanged("a", since: first))
    // Within the read.
    reads.beginChange(changed)
    #expect(reads.isChanged("a", since: first))
    // Over the end of the first, and the beginning of the second.
    let second = reads.begin("a")
    #expect(reads.isChanged("a", since: second))
    reads.end("a")
    reads.endChange(changed)
    #expect(reads.isChanged("a", since: second))
    reads.end("a")
    let third = reads.begin("a")
    #expect(!reads.isChanged("a", since: third))
    reads.end("a")
  }

  @Test func `a change of another key overlaps no read`() {
    let read = reads.begin("a")
    reads.beginChange("b")
    #expect(!reads.isChanged("a", since: read))
    reads.endChange("b")
    #expect(!reads.isChanged("a", since: read))
    #expect(reads.isChanged("b", since: read), "a key that is not read is not known")
    reads.end("a")
  }

  @Test func `a change of all keys overlaps reads while any of them lasts`() {
    reads.beginChange(nil)
    reads.beginChange(nil)
    reads.endChange(nil)
    let read = reads.begin("a")
    #expect(reads.isChanged("a", since: read))
    reads.endChange(nil)
    #expect(reads.isChanged("a", since: read))
    #expect(!reads.isChanged("b", since: reads.begin("b")))
  }
}
