import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport
import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

@Suite(.unitTest) struct RequestOptionListTests {
  private struct Paths: RequestOptionVisitor {
    var names: [String] = []
    var paths: Set<AnyKeyPath> = []

    mutating func visit<Value>(_ name: StaticString, _ option: WritableKeyPath<RequestOptions, Value?>) {
      names.append("\(name)")
      paths.insert(option)
    }
  }

  @Test func `every stored option is in the list that merging and emptiness follow from`() {
    var paths = Paths()
    RequestOptions.visitAll(&paths)
    let stored = Mirror(reflecting: RequestOptions()).children.compactMap(\.label)
    #expect(paths.paths.count == stored.count, "an option is missing in RequestOptions+List.swift, or twice there")
    #expect(Set(paths.names).count == stored.count)
    let named = stored.filter { !$0.hasSuffix("Hook") }
    #expect(Set(named).isSubset(of: paths.names))
  }

  @Test func `options that are not set are taken from the defaults`() {
    var (own, defaults) = (RequestOptions(), RequestOptions())
    (own.priority, own.tags) = (.high, ["own"])
    (defaults.priority, defaults.timeout, defaults.userInfo) = (.low, .seconds(3), ["row": 7])
    defaults.imageModifier = { $0 }
    defaults.retryStrategy = .never
    let merged = own.over(defaults)
    #expect(merged.priority == .high)
    #expect(merged.tags == ["own"])
    #expect(merged.timeout == .seconds(3))
    #expect(merged.userInfo?["row"] as? Int == 7)
    #expect(merged.imageModifier != nil && merged.retryStrategy is ExponentialBackoff)
    #expect(merged.description == "priority, timeout, tags, imageModifier, userInfo, retryStrategy")
  }

  @Test func `options are empty until one is set`() {
    var options = RequestOptions()
    #expect(options.isEmpty)
    #expect(options.description == "default")
    options.decoder = nil
    #expect(options.isEmpty)
    options.isPinned = false
    #expect(!options.isEmpty)
  }

  @Test func `every option is a property of the request`() {
    var request = ImageRequest(source: .string("https://example.com/a.jpg"))
    #expect(request.tags == nil && request.optionsBox == nil)
    request.tags = ["a"]
    request.scale = 2
    #expect(request.options.tags == ["a"])
    #expect(request.options.scale == 2)
  }

  @Test func `options in a list are merged, and a later one wins`() {
    let options: RequestOptions = [.reload, .withoutETags, .cacheOnly, .sticker, .memoryOnly]
    #expect(options.cachePolicy == .cacheOnly)
    #expect(options.usesETags == false)
    #expect(options.storage == .sticker)
    #expect(options.storeAccess == .disabled && options.memoryAccess == nil)
    #expect(options.description == "cachePolicy, storeAccess, usesETags, storage")
    #expect(RequestOptions().isEmpty && ([] as RequestOptions).isEmpty)
  }
}
