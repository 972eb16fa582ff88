#if SVG && !IMAGEIO
import HalcyonImaging

/// The values that a property can have on each element.
///
/// Which of them wins is not decided: a rule counts for every element that the last part of its selector matches.
struct SVGStyles {
  /// The values of one property on one element.
  private struct Values {
    /// From the attribute `style` and the attribute of that name.
    var own: [String] = []
    /// The values in ``own`` and those from rules.
    var all: [String] = []
  }

  /// Indices of rules by what the last part of a selector requires first.
  private var rulesByIdentifier: [String: [Int]] = [:]
  private var rulesByClass: [String: [Int]] = [:]
  private var rulesByName: [String: [Int]] = [:]
  private var otherRules: [Int] = []
  /// For each element, computed once, since references can draw it often.
  private var values: [[String: Values]] = []
  private var isAffected: [Bool] = []
  private var byteCounts: [Int] = []
  /// Attributes that are not read again at each visit of an element.
  private static let data: Set = ["d", "points", "href"]
  /// The most values that rules give to elements: each rule may apply to each element.
  private static let valueLimit = 1 << 21

  init() {}

  /// - Parameter properties: The properties that ``affects(_:)`` checks.
  /// - Throws: `ImageDecodingError.unsupportedFeature` if rules apply to too many elements.
  init(_ tree: SVGTree, properties: Set<String>) throws(ImageDecodingError) {
    for (index, rule) in tree.rules.enumerated() {
      for selector in rule.selectors {
        if let identifier = selector.identifier {
          rulesByIdentifier[identifier, default: []].append(index)
        } else if let name = selector.classes.first {
          rulesByClass[name, default: []].append(index)
        } else if let name = selector.name {
          rulesByName[name, default: []].append(index)
        } else {
          otherRules.append(index)
        }
      }
    }
    var valueCount = 0
    for element in tree.elements {
      let found = values(of: element, tree.rules)
      valueCount += found.values.reduce(0) { $0 + $1.all.count - $1.own.count }
      guard valueCount <= Self.valueLimit else {
        throw SVGSanitizer.refused("rules of styles that apply to too many elements")
      }
      values.append(found)
    }
    byteCounts = values.map { values in
      values.reduce(0) { sum, property in
        Self.data.contains(property.key) ? sum : property.value.all.reduce(sum) { $0 + $1.utf8.count + 5 }
      }
    }
    isAffected = values.map { !properties.isDisjoint(with: $0.keys) }
  }

  private func values(of element: SVGTree.Element, _ rules: [SVGRule]) -> [String: Values] {
    var result: [String: Values] = [:]
    for declaration in element.style { result[declaration.name, default: Values()].own.append(declaration.value) }
    for (name, value) in element.attributes { result[name, default: Values()].own.append(value) }
    result = result.mapValues { Values(own: $0.own, all: $0.own) }
    for rule in self.rules(for: element) {
      for declaration in rules[rule].declarations {
        result[declaration.name, default: Values()].all.append(declaration.value)
      }
    }
    return result
  }

  /// Whether an element may have a value of one of the properties.
  func affects(_ index: Int) -> Bool { isAffected[index] }

  /// About how many bytes are read at each visit of an element.
  func byteCount(of index: Int) -> Int { byteCounts[index] }

  /// The values of a property from the attribute of that name, the attribute `style` and the rules.
  func values(of property: String, for index: Int) -> [String] { values[index][property]?.all ?? [] }

  /// Whether the element itself sets the property to something that draws no reference, whatever the rules say.
  func isPlain(_ property: String, for index: Int) -> Bool {
    guard let own = values[index][property]?.own, !own.isEmpty else { return false }
    return own.allSatisfy { $0 == "none" || $0.utf8.first == UInt8(ascii: "#") && [4, 7].contains($0.utf8.count) }
  }

  /// Whether the element itself sets the property to a number of user units, which every librsvg understands.
  func isNumber(_ property: String, for index: Int) -> Bool {
    (values[index][property]?.own ?? []).contains { value in
      let digits = Array(value.utf8.suffix(2).elementsEqual("px".utf8) ? value.utf8.dropLast(2) : value.utf8[...])
      return digits.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E } && digits.first != 0x2E
        && digits.last != 0x2E && Double(String(decoding: digits, as: UTF8.self)) != nil
    }
  }

  private func rules(for element: SVGTree.Element) -> [Int] {
    var result = otherRules + (rulesByName[element.name.lowercased()] ?? [])
    if let identifier = element["id"] { result += rulesByIdentifier[identifier] ?? [] }
    if let classes = element["class"] {
      // A class that is there again gives nothing new.
      for name in Set(classes.utf8.split(whereSeparator: { $0 <= 0x20 }).map { String(Substring($0)) }) {
        result += rulesByClass[name] ?? []
      }
    }
    return result
  }
}
#endif
