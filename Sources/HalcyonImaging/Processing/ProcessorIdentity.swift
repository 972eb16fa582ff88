/// The identifier of a processor of this library: its name and its parameters in order, so that equal values give equal
/// texts and other values other ones.
struct ProcessorIdentity {
  private(set) var text: String

  /// Begins with a word that keeps users' processors of the same name apart.
  init(_ name: String) { text = "halcyon." + name }

  /// Adds the shortest digits that read back as this very number; both zeros are the same.
  func adding(_ number: Double) -> ProcessorIdentity { adding(text: "\(number == 0 ? 0 : number)") }

  func adding(_ number: Int) -> ProcessorIdentity { adding(text: "\(number)") }

  func adding(_ color: PixelColor) -> ProcessorIdentity { adding(text: color.description) }

  /// Adds a word without spaces, or any text as the last.
  func adding(text word: String) -> ProcessorIdentity {
    var longer = self
    longer.text += " " + word
    return longer
  }
}
