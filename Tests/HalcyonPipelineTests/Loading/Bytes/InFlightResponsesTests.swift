import HalcyonSupport
import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonImaging
@testable import HalcyonCache
@testable import HalcyonPipeline

@Suite(.unitTest)
struct InFlightResponsesTests {
  private let live = InFlightResponses()

  private func body() -> EncodedImage {
    EncodedImage(
      data: Data([1]), metadata: EntryMetadata(url: nil, requestDate: Date(), responseDate: Date()),
      info: ImageInfo(format: .jpeg, storedSize: PixelSize(width: 1, height: 1)), origin: .network, trace: LoadTrace(),
      watch: RemovalWatch("a", in: ImageCache(disk: nil)))
  }

  @Test func `a response is found as long as it is referenced`() {
    let key = InFlightResponses.Key(key: "a", cache: ObjectIdentifier(live), removals: 0)
    var held: EncodedImage? = body()
    held.map { live.insert($0, for: key) }
    #expect(live[key] === held)
    var newer: EncodedImage? = body()
    newer.map { live.insert($0, for: key) }
    held = nil
    #expect(live[key] === newer)
    newer = nil
    #expect(live[key] == nil)
    #expect(live.isEmpty)
  }

  @Test func `a response that was stored or is damaged is no longer found, although it is still referenced`() {
    let key = InFlightResponses.Key(key: "a", cache: ObjectIdentifier(live), removals: 0)
    let held = body()
    live.insert(held, for: key)
    held.endSharing()
    #expect(live[key] == nil)
    withExtendedLifetime(held) {}
  }
}
