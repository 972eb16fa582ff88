/// The colours of a landscape, from the zenith to the nearest hill: red, green and blue from 0 to 1.
struct Palette {
  typealias Color = SIMD3<Float>

  let zenith: Color
  let horizon: Color
  let sun: Color
  let far: Color
  let near: Color
  var hasStars = false

  static let all: [Palette] = [
    // Dawn, noon, dusk, night, forest, desert, ice, mauve, teal and amber.
    Palette(zenith: hex(0x2B4C7E), horizon: hex(0xF6C198), sun: hex(0xFFF1D0), far: hex(0x9C8AA5), near: hex(0x1F2A44)),
    Palette(zenith: hex(0x2E86DE), horizon: hex(0xD6F0FF), sun: hex(0xFFFFFF), far: hex(0x8FC1B5), near: hex(0x1E5945)),
    Palette(zenith: hex(0x3B1C5A), horizon: hex(0xFF7E5F), sun: hex(0xFFE29A), far: hex(0xA94B6B), near: hex(0x1B0F2B)),
    Palette(
      zenith: hex(0x050B1F), horizon: hex(0x27477A), sun: hex(0xF5F3E6), far: hex(0x223C66), near: hex(0x040814),
      hasStars: true),
    Palette(zenith: hex(0x7FA99B), horizon: hex(0xE9F2D8), sun: hex(0xFFFCE8), far: hex(0x8DB08A), near: hex(0x12312B)),
    Palette(zenith: hex(0x4A7FA7), horizon: hex(0xFBE3B4), sun: hex(0xFFF6DC), far: hex(0xE0A06A), near: hex(0x6B2F1A)),
    Palette(zenith: hex(0x6FA8C9), horizon: hex(0xF3FAFC), sun: hex(0xFFFFFF), far: hex(0xC3DCE8), near: hex(0x3F6A86)),
    Palette(zenith: hex(0x57407C), horizon: hex(0xF4C6D7), sun: hex(0xFFF0F3), far: hex(0xB58DB6), near: hex(0x2E1F47)),
    Palette(
      zenith: hex(0x04161D), horizon: hex(0x1C7C7D), sun: hex(0xD9FFF4), far: hex(0x1A5A62), near: hex(0x031014),
      hasStars: true),
    Palette(zenith: hex(0x8C2F1B), horizon: hex(0xFFC857), sun: hex(0xFFF5D6), far: hex(0xC8643C), near: hex(0x32110B)),
  ]

  private static func hex(_ value: UInt32) -> Color {
    Color(Float(value >> 16 & 0xFF), Float(value >> 8 & 0xFF), Float(value & 0xFF)) / 255
  }
}
