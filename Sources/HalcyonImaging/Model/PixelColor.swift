/// A colour in sRGB, not premultiplied by alpha. Processors and encoders convert it to the colour space of the image.
public struct PixelColor: Hashable, Sendable {
  /// The red component, 0 to 255.
  public let red: UInt8
  /// The green component, 0 to 255.
  public let green: UInt8
  /// The blue component, 0 to 255.
  public let blue: UInt8
  /// From transparent, 0, to opaque, 255.
  public let alpha: UInt8

  /// Creates a colour, opaque by default.
  public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// Opaque black.
  public static let black = PixelColor(red: 0, green: 0, blue: 0)
  /// Opaque white.
  public static let white = PixelColor(red: 255, green: 255, blue: 255)
  /// Fully transparent.
  public static let clear = PixelColor(red: 0, green: 0, blue: 0, alpha: 0)
}

extension PixelColor: CustomStringConvertible {
  /// For example `#ff8000ff`, alpha last.
  public var description: String {
    "#" + [red, green, blue, alpha].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
