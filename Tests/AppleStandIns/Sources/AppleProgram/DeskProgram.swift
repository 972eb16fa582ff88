#if canImport(AppKit)
import AppKit
import Halcyon
import HalcyonApple

/// Uses of the public API, as in apps on macOS.
@MainActor
enum DeskProgram {
  static func view(_ view: NSImageView, _ url: URL) {
    view.hc.setImage(with: url, placeholder: .view { NSView(frame: .zero) })
  }

  static func button(_ button: NSButton, _ url: URL) {
    button.hc.setImage(with: url)
    button.hc.setAlternateImage(with: url)
  }
}
#endif
