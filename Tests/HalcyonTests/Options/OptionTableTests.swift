import HalcyonHTTP
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

/// Compares the table of options and paths with the options.
@Suite(.unitTest)
struct OptionTableTests {
  private struct Names: RequestOptionVisitor {
    var list: [String] = []

    mutating func visit<Value>(_ name: StaticString, _ option: WritableKeyPath<RequestOptions, Value?>) {
      list.append("\(name)")
    }
  }

  @Test func `the table has every option and every property of a request`() throws {
    var options = Names()
    RequestOptions.visitAll(&options)
    let request = ImageRequest(source: .string("a"))
    let fields = try #require(Mirror(reflecting: request).descendant("contents", "fields"))
    let content = try #require(RequestContent.make(.post, nil))
    let stored = [fields, content].flatMap { Mirror(reflecting: $0).children.compactMap(\.label) }
    // The source and what a mapper has made of it are no options, and those in the box are listed one by one.
    let properties = stored.filter { !["source", "mapping", "optionsBox"].contains($0) }
    #expect(properties.count > 5)
    #expect(RequestOption.allCases.map(\.rawValue).sorted() == (options.list + properties).sorted())
  }

  @Test(arguments: RequestOption.allCases) func `an option affects some path`(option: RequestOption) {
    #expect(!LoadPath.affected(by: option).isEmpty)
  }
}
