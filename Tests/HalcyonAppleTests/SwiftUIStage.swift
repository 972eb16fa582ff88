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
  func views<Wanted: View>(of type: Wanted.Type, in view: any View) -> [Wanted] { found(in: view) { $0 as? Wanted } }

  /// The labels for screen readers of the views below a view.
  func labels(_ view: any View) -> [String] { found(in: view) { ($0 as? any AnyModifiedView)?.label?.text } }

  private func found<Wanted>(in view: any View, _ pick: (any View) -> Wanted?) -> [Wanted] {
    if let found = pick(view) { return [found] }
    if let modified = view as? any AnyModifiedView {
      return found(in: modified.modifiedContent, pick) + (modified.overlay.map { found(in: $0, pick) } ?? [])
    }
    if let erased = view as? AnyView { return found(in: erased.view, pick) }
    if let content = view as? HalcyonImageContent { return found(in: content.body, pick) }
    return Mirror(reflecting: view).children.flatMap { child in
      (child.value as? any View).map { found(in: $0, pick) } ?? []
    }
  }
}
