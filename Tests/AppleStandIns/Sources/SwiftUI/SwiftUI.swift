public import AppKit
@_exported public import CoreGraphics
@_exported public import Foundation
public import UIKit

@MainActor
@preconcurrency
public protocol View {
  associatedtype Body: View
  var body: Body { get }
}

extension View where Body == Never {
  public var body: Never { fatalError("compiled, never run") }
}

extension Never: View {
  public typealias Body = Never
}

public struct Text: Sendable {
  public init(_ text: String) {}
}

public struct Image {
  public enum Orientation: Sendable { case up }

  public init(decorative: CGImage, scale: CGFloat, orientation: Orientation = .up) {}
  public init(_ image: CGImage, scale: CGFloat, orientation: Orientation = .up, label: Text) {}
}

public struct ProposedViewSize: Sendable {
  public func replacingUnspecifiedDimensions(by size: CGSize = CGSize(width: 10, height: 10)) -> CGSize { size }
}

public struct UIViewRepresentableContext<Representable: UIViewRepresentable> {}

@MainActor
@preconcurrency
public protocol UIViewRepresentable: View where Body == Never {
  associatedtype UIViewType: UIView
  func makeUIView(context: UIViewRepresentableContext<Self>) -> UIViewType
  func updateUIView(_ uiView: UIViewType, context: UIViewRepresentableContext<Self>)
  func sizeThatFits(_ proposal: ProposedViewSize, uiView: UIViewType, context: UIViewRepresentableContext<Self>)
    -> CGSize?
}

public struct NSViewRepresentableContext<Representable: NSViewRepresentable> {}

@MainActor
@preconcurrency
public protocol NSViewRepresentable: View where Body == Never {
  associatedtype NSViewType: NSView
  func makeNSView(context: NSViewRepresentableContext<Self>) -> NSViewType
  func updateNSView(_ nsView: NSViewType, context: NSViewRepresentableContext<Self>)
  func sizeThatFits(_ proposal: ProposedViewSize, nsView: NSViewType, context: NSViewRepresentableContext<Self>)
    -> CGSize?
}
