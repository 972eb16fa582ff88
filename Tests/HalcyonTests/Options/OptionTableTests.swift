import Foundation
import HalcyonHTTP
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

/// Compares the table of options and paths with the options, and with the tests that take their paths from it.
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

  @Test(arguments: RequestOption.allCases)
  func `a test is called on every path that the option affects`(option: RequestOption) throws {
    #expect(!LoadPath.affected(by: option).isEmpty)
    #expect(try Self.testedOptions.contains(option.rawValue))
  }

  /// The options whose paths are arguments of a test in this folder.
  private static var testedOptions: Set<String> {
    get throws {
      let folder = URL(filePath: #filePath).deletingLastPathComponent()
      let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
      let lists = texts.flatMap { $0.matches(of: #/arguments: LoadPath\.affected\(\s*by: ([^)]+)\)/#).map(\.1) }
      return Set(lists.flatMap { $0.matches(of: #/\.(\w+)/#).map { String($0.1) } })
    }
  }
}
