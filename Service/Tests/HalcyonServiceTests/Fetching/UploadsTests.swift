import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonService

@Suite(.unitTest)
struct UploadsTests {
  @Test func `the latest uploads are kept, and the oldest dropped`() {
    let uploads = Uploads(byteLimit: 100)
    let names = (0..<4).map { uploads.add(Data(repeating: UInt8($0), count: 40)) }
    #expect(names.map { uploads[$0]?.count } == [nil, nil, 40, 40])
    // Uploaded once more, an image is the latest.
    #expect(uploads.add(Data(repeating: 2, count: 40)) == names[2])
    _ = uploads.add(Data(repeating: 9, count: 40))
    #expect(uploads[names[2]] != nil && uploads[names[3]] == nil)
    // One that fills the memory alone is kept.
    let large = uploads.add(Data(repeating: 7, count: 100))
    #expect(uploads[large]?.count == 100 && uploads[names[2]] == nil)
  }
}
