import Foundation
import Halcyon
import HalcyonApple
import SwiftUI

/// Uses of the public API in SwiftUI, also on watchOS.
@MainActor
enum SwiftUIProgram {
  static func together(_ urls: [URL]) -> [some View] {
    var options = ImageViewOptions()
    options.transitionGroup = TransitionGroup(count: urls.count)
    return urls.map { HalcyonImage(url: $0, mode: .fill, options: options) }
  }

  static func phases(_ url: URL) -> some View {
    HalcyonImage(url: url) { phase in
      switch phase {
      case .success, .preview: phase.swiftUIImage?.resizable()
      case .loading(let progress): ProgressView(value: progress?.fraction)
      case .failure: Image(systemName: "wifi.slash")
      default: Color.clear
      }
    }
    .priority(.high)
    .fade()
    .onFailure { print($0) }
  }
}
