import Foundation
import Testing

@testable import HalcyonCore

struct LiveBodiesTests {
  private let live = LiveBodies()

  private func body() -> FetchedBody {
    FetchedBody(
      data: Data([1]), metadata: EntryMetadata(url: nil, requestDate: Date(), responseDate: Date()),
      info: ImageInfo(format: .jpeg, storedSize: PixelSize(width: 1, height: 1)), origin: .network, trace: LoadTrace())
  }

  @Test func `bytes are found as long as somebody holds them`() {
    let key = LiveBodies.Key(key: "a", cache: ObjectIdentifier(live))
    var held: FetchedBody? = body()
    held.map { live.insert($0, for: key) }
    #expect(live[key] === held)
    held = nil
    #expect(live[key] == nil)
  }

  @Test func `bytes that the store has are left to the store, whoever holds them`() {
    let key = LiveBodies.Key(key: "a", cache: ObjectIdentifier(live))
    let held = body()
    live.insert(held, for: key)
    held.noteStored()
    #expect(live[key] == nil)
    withExtendedLifetime(held) {}
  }
}
