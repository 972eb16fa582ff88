import Foundation
import HalcyonImaging
import HalcyonPipeline
import HalcyonTestTraits
import Testing

@Suite(.unitTest) struct ImageRequestDescriptionTests {
  @Test func `a request prints its URL without the password, its size and its processors`() {
    var request = ImageRequest(source: .string("https://user:secret@example.com/a.jpg"))
    #expect(request.description == "https://example.com/a.jpg")
    request.size = .fit(width: 400, height: 300)
    request.processors = [BuiltInProcessor.custom(identifier: "sepia") { $0 }]
    #expect(request.description == "https://example.com/a.jpg, fit 400x300, \(request.processors[0].identifier)")
  }

  @Test func `a source with a key prints its key`() {
    #expect(ImageSource.data(Data(), key: "avatar/17").description == "avatar/17")
    #expect(ImageSource.data(key: "map\n1") { Data() }.description == #"map\u{A}1"#)
  }
}
