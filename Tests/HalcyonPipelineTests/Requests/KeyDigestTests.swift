import HalcyonHTTP
import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonImaging
@testable import HalcyonPipeline

@Suite(.unitTest)
struct KeyDigestTests {
  /// Vectors from `vectors.h` of the SipHash reference implementation: the bytes 0, 1, 2, … as input and as key.
  @Test(arguments: [
    (0, "a3817f04ba25a8e66df67214c7550293"),
    (1, "da87c1d86b99af44347659119b22fc45"),
  ])
  func `digests match the vectors of the reference implementation`(count: Int, expected: String) {
    let input = (0..<count).map { UInt8($0) }
    #expect(input.withUnsafeBytes { KeyDigest(bytes: $0) }.hexadecimal == expected)
  }

  @Test func `a digest depends on every byte and on the length`() {
    var texts: [String] = []
    for count in 0...40 {
      let equal = [Character](repeating: "a", count: count)
      texts.append(String(equal))
      for position in 0..<count {
        var text = equal
        text[position] = "b"
        texts.append(String(text))
      }
    }
    #expect(Set(texts.map { KeyDigest($0) }).count == Set(texts).count)
  }
}

@Suite(.unitTest)
struct CacheKeyTests {
  @Test func `keys are equal if and only if their texts are`() {
    #expect(CacheKey("https://a/1") == CacheKey("https://a/1"))
    #expect(CacheKey("https://a/1") != CacheKey("https://A/1"))
    let literal: CacheKey = "my_cache_key"
    #expect(literal.text == "my_cache_key")
  }

  @Test func `every part of a request that changes the pixels changes its key`() throws {
    let url = try #require(URL(string: "https://example.com/a.jpg?v=1"))
    let other = try #require(URL(string: "https://example.com/a.jpg?v=2"))
    var requests = [ImageRequest(url: url), ImageRequest(url: other)]
    requests += [TargetSize.fit(width: 1, height: 11), .fit(width: 11, height: 1), .fill(width: 1, height: 11)].map {
      ImageRequest(url: url, size: $0)
    }
    requests.append(ImageRequest(url: url, headers: ["Accept": "image/png"]))
    requests.append(ImageRequest(url: url, headers: ["Accept": "image/jpeg"]))
    requests += [["a"], ["b"], ["a", "b"], ["b", "a"], ["ab"]].map { names in
      ImageRequest(url: url, processors: names.map { NamedProcessor(identifier: $0) })
    }
    #expect(Set(requests.map { RequestKeys($0).image }).count == requests.count)
  }

  @Test func `without a size the image key is the fetch key`() throws {
    let url = try #require(URL(string: "https://example.com/a.jpg"))
    let keys = RequestKeys(ImageRequest(url: url))
    #expect(keys.image == keys.fetch)
    #expect(RequestKeys(ImageRequest(url: url) { $0.originalPixelLimit = Int.max }).image == keys.image)
    let small = RequestKeys(ImageRequest(url: url, size: .fit(width: 5, height: 5)))
    #expect(small.image != keys.image)
    #expect(small.fetch == keys.fetch)
  }

  @Test(arguments: [
    TargetSize.fit(width: 0, height: 1), .fill(width: 9, height: 10), .exact(width: 99, height: 100),
    .exact(width: -1, height: -10, enlarges: false), .fit(width: .max, height: .min),
    .fill(width: 5, height: 7, anchor: .center),
  ])
  func `the key of an image contains the description of its size`(size: TargetSize) throws {
    // Longer keys do not fit on the stack, or only in part.
    for length in Array(0...70) + Array(920...1100) {
      let url = try #require(URL(string: "https://example.com/" + String(repeating: "a", count: length)))
      let keys = RequestKeys(ImageRequest(url: url, size: size))
      #expect(keys.image.text == "\(keys.fetch.text)|size=\(size.description.utf8.count):\(size)")
    }
  }

  @Test func `a URL that contains key syntax does not collide with another request's key`() throws {
    let url = try #require(URL(string: "https://example.com/a"))
    let tricky = ImageRequest(source: .string("https://example.com/a|size=7:fit 1x1"))
    #expect(RequestKeys(tricky).image != RequestKeys(ImageRequest(url: url, size: .fit(width: 1, height: 1))).image)
  }

  @Test func `user names and passwords in URLs distinguish keys but are not readable in them`() throws {
    let urls = ["https://ann:hunter2@example.com/a", "https://ann:hunter3@example.com/a", "https://example.com/a"]
    let keys = urls.map { RequestKeys(ImageRequest(source: .string($0))).fetch }
    #expect(Set(keys).count == 3)
    #expect(keys.allSatisfy { !$0.text.contains("hunter") && !$0.text.contains("ann") })
    let url = try #require(URL(string: urls[0]))
    #expect(RequestKeys(ImageRequest(url: url)).fetch == keys[0])
  }

  @Test(arguments: [
    ("https://ann:hunter2@example.com/a.jpg", "https://example.com/a.jpg"),
    ("https://ann@example.com/a.jpg?b", "https://example.com/a.jpg?b"),
    ("https://example.com/a%20b.jpg", "https://example.com/a%20b.jpg"), ("https://example.com", "https://example.com/"),
  ])
  func `an error names a source by its URL without user and password`(text: String, expected: String) throws {
    let source = RequestKeys(ImageRequest(source: .string(text))).fetch.sourceURL
    #expect(source.absoluteString == expected)
    #expect(source.sourceKey == nil)
  }

  @Test(arguments: ["a", "a b/ä?#%", ""]) func `an error names a source without a URL by its key`(key: String) {
    let source = RequestKeys(ImageRequest(source: .data(Data(), key: key))).fetch.sourceURL
    #expect(source.scheme == "key")
    #expect(source.sourceKey == key)
  }

  @Test func `a fragment is not part of the key`() throws {
    let texts = ["https://example.com/f.png", "https://example.com/f.png#1", "https://example.com/f.png#"]
    #expect(Set(texts.map { RequestKeys(ImageRequest(source: .string($0))).image }).count == 1)
    #expect(Set(try texts.map { RequestKeys(ImageRequest(url: try #require(URL(string: $0)))).fetch }).count == 1)
    let other = RequestKeys(ImageRequest(source: .string("https://example.com/f.png?#1"))).fetch
    #expect(other != RequestKeys(ImageRequest(source: .string(texts[0]))).fetch)
  }

  @Test func `the key of a long data URL is short, and depends on every byte`() throws {
    let long = "data:image/png;base64," + String(repeating: "A", count: 10_000)
    let keys = [long, long + "A", long.dropLast() + "B"].map { text in
      RequestKeys(ImageRequest(source: .string(String(text)))).fetch
    }
    #expect(Set(keys).count == 3)
    #expect(keys.allSatisfy { $0.text.utf8.count < 200 })
  }

  @Test func `secrets in headers and identities are not readable in keys`() throws {
    let url = try #require(URL(string: "https://example.com/a"))
    var request = ImageRequest(url: url, headers: ["Authorization": "Bearer hunter2"])
    request.identity = "anna"
    let text = RequestKeys(request).fetch.text
    #expect(!text.contains("hunter2"))
    #expect(!text.contains("anna"))
  }
}

struct NamedProcessor: ImageProcessor {
  let identifier: String
  var onRun: @Sendable () -> Void = {}

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    onRun()
    return bitmap
  }
}
