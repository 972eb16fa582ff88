import Foundation

/// A generated SVG of translucent circles.
struct Poster {
  private static let backgrounds = ["#12263a", "#f4ede4", "#2b2d42", "#e8f1f2", "#1b1b3a", "#fff3e2"]
  private static let colors = ["#ef476f", "#ffd166", "#06d6a0", "#118ab2", "#f78c6b", "#9b5de5"]

  let number: Int

  var data: Data {
    var random = Noise(seed: UInt32(truncatingIfNeeded: number &* 104_729))
    let circles = (0..<9).map { circle in
      let (x, y) = (random.next() % 400, random.next() % 300)
      let color = Self.colors[Int(random.next()) % Self.colors.count]
      return #"<circle cx="\#(x)" cy="\#(y)" r="\#(25 + random.next() % 70)" fill="\#(color)" fill-opacity="0.78"/>"#
    }
    let background = Self.backgrounds[number % Self.backgrounds.count]
    let text =
      #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300" width="400" height="300">"#
      + #"<rect width="400" height="300" fill="\#(background)"/>\#(circles.joined())</svg>"#
    return Data(text.utf8)
  }
}
