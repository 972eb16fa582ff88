import Foundation
import HalcyonCache
import HalcyonSupport
import HalcyonHTTP
import HalcyonImaging
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

/// The options of a request with their defaults, and what they make of an image.
@Suite(.unitTest)
struct ResolvedOptionsTests {
  private let url = URL(string: "https://example.com/a") ?? URL(filePath: "/")

  struct Row: Sendable {
    let (width, height): (Int, Int)
    let limit: Int?
    let pipelineLimit: Int
    let expected: TargetSize
  }

  private static let rows = [
    Row(width: 100, height: 50, limit: nil, pipelineLimit: 1000, expected: .original),
    Row(width: 100, height: 50, limit: 5000, pipelineLimit: 5000, expected: .original),
    Row(width: 100, height: 50, limit: 5001, pipelineLimit: 10, expected: .fit(width: 4, height: 2)),
    Row(width: 100, height: 50, limit: 1250, pipelineLimit: 9000, expected: .fit(width: 50, height: 25)),
    Row(width: 100, height: 50, limit: 9000, pipelineLimit: 1250, expected: .fit(width: 50, height: 25)),
    Row(width: 100, height: 50, limit: 0, pipelineLimit: 9000, expected: .fit(width: 1, height: 1)),
    Row(width: 100, height: 50, limit: -5, pipelineLimit: 9000, expected: .fit(width: 1, height: 1)),
    Row(width: 1, height: 10_000, limit: 100, pipelineLimit: 100_000, expected: .fit(width: 1, height: 100)),
    Row(width: 10_000, height: 1, limit: 100, pipelineLimit: 100_000, expected: .fit(width: 100, height: 1)),
  ]

  @Test(arguments: rows)
  func `an image of the original size is decoded within both limits of pixels`(row: Row) {
    let info = ImageInfo(format: .bmp, storedSize: PixelSize(width: row.width, height: row.height))
    let limits = ImageLimits(pixelCount: row.pipelineLimit)
    let request = ImageRequest(url: url) { $0.originalPixelLimit = row.limit }
    #expect(request.resolved.size(of: info, within: limits) == row.expected)
    let sized = ImageRequest(url: url, size: .fit(width: 7, height: 7)) { $0.originalPixelLimit = row.limit }
    #expect(sized.resolved.size(of: info, within: limits) == .fit(width: 7, height: 7))
    let large = ImageInfo(format: .bmp, storedSize: PixelSize(width: 5000, height: 5000))
    var part = request
    part.region = PixelArea(left: 9, top: 9, width: row.width, height: row.height)
    #expect(part.resolved.size(of: large, within: limits) == row.expected)
  }

  @Test func `an option that is not set has its default`() {
    let options = ImageRequest(url: url).resolved
    #expect(options.size == .original)
    #expect(options.originalPixelLimit == nil)
    #expect(options.colorSpace == .sRGB)
    #expect(options.dynamicRange == .standard)
    #expect(options.priority == .normal)
    #expect(options.cachePolicy == .standard)
    #expect(options.memoryAccess == .readWrite)
    #expect(options.storeAccess == .readWrite)
    #expect(options.usesETags)
    #expect(!options.allowsPartialImage)
    #expect(!options.allowsErrorImage)
    #expect(!options.waitsForStore)
    #expect(options.storage == .original)
    #expect(options.animation == .frames())
  }

  @Test(arguments: [
    (CacheAccess.readWrite, true, true, CacheAccess.writeOnly), (.readOnly, true, false, .disabled),
    (.writeOnly, false, true, .writeOnly), (.disabled, false, false, .disabled),
  ])
  func `an access allows reads or writes`(access: CacheAccess, reads: Bool, writes: Bool, withoutReads: CacheAccess) {
    #expect(access.reads == reads)
    #expect(access.writes == writes)
    #expect(access.withoutReads == withoutReads)
  }

  @Test func `an image is delivered with the scale of its request, its changes, and its own freshness`() throws {
    var image = try solidImage()
    image.facts.freshness = SourceFreshness(end: .seconds(1), version: 2, byteCount: 3)
    let other = try solidImage(3, 3)
    #expect(ImageRequest(url: url).delivered(image).facts.freshness == image.facts.freshness)
    #expect(ImageRequest(url: url) { $0.scale = 2 }.delivered(image).scale == 2)
    let changed = ImageRequest(url: url) {
      $0.scale = 2
      $0.imageModifier = { $0.scale == 2 ? other : $0 }
    }.delivered(image)
    #expect(changed.size == other.size)
    #expect(changed.facts.freshness == image.facts.freshness)
  }

  @Test func `a response is delivered with the program's own values`() async throws {
    let response = ImageResponse(memory: try solidImage(), of: .url(url))
    #expect(await ImageRequest(url: url) { $0.scale = 2 }.delivered(response).userInfo.isEmpty)
    let request = ImageRequest(url: url) { $0.userInfo = ["a": 7] }
    #expect(await request.delivered(response).userInfo["a"] as? Int == 7)
  }

  @Test func `a copy is identical to its request until one of them is changed`() {
    let request = ImageRequest(url: url)
    var copy = request
    #expect(copy.isIdentical(to: request))
    copy.priority = .high
    #expect(!copy.isIdentical(to: request))
    #expect(!ImageRequest(url: url).isIdentical(to: request))
  }
}
