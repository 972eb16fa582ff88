import ArgumentParser
import Foundation
import Halcyon
import HalcyonImaging
import HalcyonCodecs

/// `halcyon draw-svg`: draws one SVG document for another process of the program, which starts it.
struct DrawSVGCommand: ParsableCommand {
  private static let name = "draw-svg"
  static let configuration = CommandConfiguration(commandName: name, shouldDisplay: false)

  /// Draws SVG in a process with limits, as the documents may come from anybody; `nil` if the program is not known.
  static var decoder: (any ImageDecoder)? {
    Bundle.main.executableURL.map { IsolatedSVGDecoder(helper: $0, arguments: [name]) }
  }

  func run() { IsolatedSVGDecoder.runHelper() }
}
