import Halcyon

/// The command-line arguments.
struct Arguments {
  private(set) var policy = EvictionPolicy.adaptive
  private(set) var capacityPercent = 10.0
  private(set) var cost = Trace.Cost.encoded
  private(set) var file = ""

  init(_ words: ArraySlice<String>) throws {
    var words = words
    while let word = words.popFirst() {
      if word.hasPrefix("--") {
        guard let value = words.popFirst() else { throw SimulationError.usage("\(word) needs a value.") }
        try set(word, to: value)
      } else {
        file = word
      }
    }
    guard !file.isEmpty else { throw SimulationError.usage("A trace file is required.") }
  }

  private mutating func set(_ option: String, to value: String) throws {
    switch (option, value) {
    case ("--policy", "adaptive"): policy = .adaptive
    case ("--policy", "lru"): policy = .leastRecentlyUsed
    case ("--cost", "encoded"): cost = .encoded
    case ("--cost", "decoded"): cost = .decoded
    case ("--capacity-percent", let number):
      guard let percent = Double(number), percent > 0, percent <= 100 else {
        throw SimulationError.usage("--capacity-percent takes a number above 0 and at most 100, got \(number).")
      }
      capacityPercent = percent
    default:
      throw SimulationError.usage("\(option) \(value) is not a valid option.")
    }
  }
}
