import Foundation
import HalcyonApple
import SwiftUI

/// Evaluates bodies of SwiftUI, and calls their modifiers.
@MainActor
protocol SwiftUIStage {}

extension SwiftUIStage {
  /// The modifiers of a body, the outermost first.
  func modifiers(_ view: any View) -> [any AnyModifiedView] {
    guard let modified = view as? any AnyModifiedView else { return [] }
    return [modified] + modifiers(modified.modifiedContent)
  }

  func show(_ view: some View, width: CGFloat = 10, height: CGFloat = 10) {
    for modifier in modifiers(view.body) {
      modifier.onAppear?()
      modifier.onSize?(CGSize(width: width, height: height))
    }
  }

  func hide(_ view: some View) {
    for modifier in modifiers(view.body) { modifier.onDisappear?() }
  }

  /// The images below a view.
  func images(_ view: any View) -> [Image] { views(of: Image.self, in: view) }

  /// The views of a type below a view.
  func views<Wanted: View>(of type: Wanted.Type, in view: any View) -> [Wanted] {
    if let found = view as? Wanted { return [found] }
    if let modified = view as? any AnyModifiedView {
      return views(of: type, in: modified.modifiedContent) + (modified.overlay.map { views(of: type, in: $0) } ?? [])
    }
    if let erased = view as? AnyView { return views(of: type, in: erased.view) }
    if let content = view as? HalcyonImageContent { return views(of: type, in: content.body) }
    return Mirror(reflecting: view).children.flatMap { child in
      (child.value as? any View).map { views(of: type, in: $0) } ?? []
    }
  }
}
