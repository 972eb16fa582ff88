#if SVG && !IMAGEIO
/// The values that a property can have on each element.
///
/// Which of them wins is not decided: a rule counts for every element that the last part of its selector matches.
struct SVGStyles {
  private let tree: SVGTree
  /// Indices of rules by what the last part of a selector requires first.
  private var rulesByIdentifier: [String: [Int]] = [:]
  private var rulesByClass: [String: [Int]] = [:]
  private var rulesByName: [String: [Int]] = [:]
  private var otherRules: [Int] = []
  private let properties: Set<String>

  init(_ tree: SVGTree) {
    self.tree = tree
    properties = Set(tree.rules.lazy.flatMap(\.declarations).map(\.name))
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
  }

  /// The values of a property from the attribute of that name, the attribute `style` and the rules.
  func values(of property: String, for index: Int) -> [String] {
    let element = tree.elements[index]
    var values = own(property, of: element)
    if properties.contains(property) {
      for rule in rules(for: element) { values += Self.values(of: property, in: tree.rules[rule].declarations) }
    }
    return values
  }

  /// Whether the element itself sets the property to something that draws no reference, whatever the rules say.
  func isPlain(_ property: String, for index: Int) -> Bool {
    let values = own(property, of: tree.elements[index])
    return !values.isEmpty && values.allSatisfy { $0 == "none" || $0.first == "#" && [4, 7].contains($0.utf8.count) }
  }

  /// Whether the element itself sets the property to a number of user units, which every librsvg understands.
  func isNumber(_ property: String, for index: Int) -> Bool {
    own(property, of: tree.elements[index]).contains { value in
      let digits = value.hasSuffix("px") ? value.dropLast(2) : value[...]
      return digits.first?.isNumber == true && digits.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
        && Double(digits) != nil && digits.last != "."
    }
  }

  private func own(_ property: String, of element: SVGTree.Element) -> [String] {
    Self.values(of: property, in: element.style) + (element[property].map { [$0] } ?? [])
  }

  private static func values(of property: String, in declarations: [SVGDeclaration]) -> [String] {
    declarations.filter { $0.name == property }.map(\.value)
  }

  private func rules(for element: SVGTree.Element) -> [Int] {
    var result = otherRules + (rulesByName[element.name.lowercased()] ?? [])
    if let identifier = element["id"] { result += rulesByIdentifier[identifier] ?? [] }
    if let classes = element["class"] {
      for name in classes.split(whereSeparator: \.isWhitespace) { result += rulesByClass[String(name)] ?? [] }
    }
    return result
  }
}
#endif
