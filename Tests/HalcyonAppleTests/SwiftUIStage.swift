import Foundation
import HalcyonApple
import SwiftUI

/// Evaluates bodies of SwiftUI, and calls their modifiers.
@MainActor
protocol SwiftUIStage {}

extension SwiftUIStage {
  /// The modifiers in a body of views that are something, the outermost first: nothing has no appearance and no size.
  func modifiers(_ view: any View) -> [any AnyModifiedView] {
    if let modified = view as? any AnyModifiedView {
      let inner = modifiers(modified.modifiedContent) + (modified.overlay.map { modifiers($0) } ?? [])
      return isNothing(modified.modifiedContent) ? inner : [modified] + inner
    }
    return children(view).flatMap { modifiers($0) }
  }

  private func isNothing(_ view: any View) -> Bool {
    if view is EmptyView { return true }
    if let modified = view as? any AnyModifiedView { return isNothing(modified.modifiedContent) }
    let mirror = Mirror(reflecting: view)
    if mirror.displayStyle == .optional { return children(view).allSatisfy { isNothing($0) } }
    return view is any AnyConditionalContent && children(view).allSatisfy { isNothing($0) }
  }

  /// The body of a view that is made of others.
  private func body<V: View>(of view: V) -> (any View)? { V.Body.self == Never.self ? nil : view.body }

  private func children(_ view: any View) -> [any View] {
    if let erased = view as? AnyView { return [erased.view] }
    if let body = body(of: view) { return [body] }
    return Mirror(reflecting: view).children.flatMap { child in
      child.value as? [any View] ?? (child.value as? any View).map { [$0] } ?? []
    }
  }

  /// Lets a view appear in a space; a side that is not proposed is 0.
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
    return children(view).flatMap { found(in: $0, pick) }
  }
}
