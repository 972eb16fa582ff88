import Accessibility
@_exported public import CoreGraphics
@_exported public import Foundation
#if canImport(AppKit)
public import AppKit
#endif
#if canImport(UIKit)
public import UIKit
#endif

/// Bodies are evaluated by tests: nothing is drawn.
@MainActor
@preconcurrency
public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

extension View where Body == Never {
  public var body: Never { fatalError("a primitive view has no body") }
}

extension Never: View {
  public typealias Body = Never
}

@resultBuilder
public enum ViewBuilder {
  public static func buildBlock() -> EmptyView { EmptyView() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<First: View, Second: View>(_ first: First, _ second: Second) -> TupleView<
    (First, Second)
  > {
    TupleView((first, second), [first, second])
  }
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  public static func buildEither<First: View, Second: View>(first: First) -> _ConditionalContent<First, Second> {
    .first(first)
  }
  public static func buildEither<First: View, Second: View>(second: Second) -> _ConditionalContent<First, Second> {
    .second(second)
  }
}

/// Any ``_ConditionalContent``.
public protocol AnyConditionalContent {}

public enum _ConditionalContent<First: View, Second: View>: View, AnyConditionalContent {
  case first(First), second(Second)
  public typealias Body = Never
}

extension Optional: View where Wrapped: View {
  public typealias Body = Never
}

public struct TupleView<T>: View {
  public typealias Body = Never
  public nonisolated(unsafe) let value: T
  public nonisolated(unsafe) let views: [any View]
  nonisolated init(_ value: T, _ views: [any View]) { (self.value, self.views) = (value, views) }
}

public struct ProposedViewSize: Equatable, Sendable {
  public var width: CGFloat?
  public var height: CGFloat?
  public init(width: CGFloat?, height: CGFloat?) { (self.width, self.height) = (width, height) }
}

public struct UnitPoint: Hashable, Sendable {
  public static let center = UnitPoint(), topLeading = UnitPoint()
}

/// A view of a layout, of a fixed size.
public struct LayoutSubview {
  let size: CGSize
  public func sizeThatFits(_ proposal: ProposedViewSize) -> CGSize { size }
  public func place(at position: CGPoint, anchor: UnitPoint = .topLeading, proposal: ProposedViewSize) {}
}

public typealias LayoutSubviews = [LayoutSubview]

/// Not laid out: tests give the sizes.
public protocol Layout {
  associatedtype Cache = Void
  typealias Subviews = LayoutSubviews
  func sizeThatFits(proposal: ProposedViewSize, subviews: Subviews, cache: inout Cache) -> CGSize
  func placeSubviews(in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout Cache)
}

extension Layout {
  @MainActor
  public func callAsFunction<Content: View>(@ViewBuilder _ content: () -> Content) -> some View {
    VStack(content: content)
  }
}

public struct VStack<Content: View>: View {
  public typealias Body = Never
  public let content: Content
  public init(@ViewBuilder content: () -> Content) { self.content = content() }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View {
  public typealias Body = Never
  public let views: [Content]
  public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: (Data.Element) -> Content) {
    views = data.map(content)
  }
}

public struct EmptyView: View {
  public typealias Body = Never
  public nonisolated init() {}
}

public struct AnyView: View {
  public typealias Body = Never
  public let view: any View
  public init<Content: View>(_ view: Content) { self.view = view }
}

public struct Text: View, Sendable {
  public typealias Body = Never
  public let text: String
  public nonisolated init(_ text: String) { self.text = text }
}

public struct Color: View, Sendable {
  public typealias Body = Never
  public static let clear = Color()
}

public struct ProgressView: View {
  public typealias Body = Never
  public let value: Double?
  public nonisolated init() { value = nil }
  public nonisolated init(value: Double?) { self.value = value }
}

public struct Image: View {
  public typealias Body = Never
  public enum Orientation: Sendable { case up }
  public enum ResizingMode: Sendable { case stretch }

  /// The pixels; `nil` for the name of an asset.
  public nonisolated(unsafe) let pixels: CGImage?
  public let scale: CGFloat
  public var label: Text?

  public nonisolated init(decorative cgImage: CGImage, scale: CGFloat, orientation: Orientation = .up) {
    (pixels, self.scale) = (cgImage, scale)
  }
  public nonisolated init(_ cgImage: CGImage, scale: CGFloat, orientation: Orientation = .up, label: Text) {
    (pixels, self.scale, self.label) = (cgImage, scale, label)
  }
  #if canImport(UIKit)
  public nonisolated init(uiImage image: UIImage) { (pixels, scale) = (image.cgImage, image.scale) }
  #endif
  #if canImport(AppKit)
  public init(nsImage image: NSImage) {
    (pixels, scale) = (image.cgImage(forProposedRect: nil, context: nil, hints: nil), 1)
  }
  #endif
  public nonisolated init(_ name: String) { (pixels, scale) = (nil, 1) }
  public nonisolated init(systemName: String) { (pixels, scale) = (nil, 1) }

  public struct DynamicRange: Hashable, Sendable {
    public static let standard = DynamicRange(name: "standard")
    public static let high = DynamicRange(name: "high")

    fileprivate let name: String
  }

  public private(set) var range: DynamicRange?

  public func allowedDynamicRange(_ range: DynamicRange?) -> Image {
    var image = self
    image.range = range
    return image
  }

  /// `nil` if the place of the image decides.
  public private(set) var mode: TemplateRenderingMode?
  public enum TemplateRenderingMode: Sendable { case template, original }

  public func resizable() -> Image { self }
  public func renderingMode(_ renderingMode: TemplateRenderingMode?) -> Image {
    var image = self
    image.mode = renderingMode
    return image
  }
}

public enum ContentMode: Sendable { case fit, fill }

public struct GeometryProxy {
  public let size: CGSize
}

public struct Animation: Sendable {
  public let duration: TimeInterval
  public static func linear(duration: TimeInterval) -> Animation { Animation(duration: duration) }
  /// The animation of the change that is made now, for tests.
  @MainActor public fileprivate(set) static var current: Animation?
}

public struct Transaction {
  public init(animation: Animation?) {}
}

@MainActor
public func withAnimation<Result>(_ animation: Animation?, _ body: () throws -> Result) rethrows -> Result {
  Animation.current = animation
  defer { Animation.current = nil }
  return try body()
}

public struct AnimationCompletionCriteria: Sendable {
  public static let logicallyComplete = AnimationCompletionCriteria()
}

/// Animations end when ``Animation/endAll()`` is called, not after their durations.
@MainActor
public func withAnimation<Result>(
  _ animation: Animation?, completionCriteria: AnimationCompletionCriteria = .logicallyComplete,
  _ body: () throws -> Result, completion: @escaping () -> Void
) rethrows -> Result {
  Animation.running.append(completion)
  return try withAnimation(animation, body)
}

extension Animation {
  @MainActor fileprivate static var running: [() -> Void] = []

  @MainActor
  public static func endAll() {
    let ended = running
    running = []
    for completion in ended { completion() }
  }
}

@propertyWrapper
public struct Binding<Value> {
  private let get: () -> Value
  private let set: (Value) -> Void

  public init(get: @escaping () -> Value, set: @escaping (Value) -> Void) { (self.get, self.set) = (get, set) }
  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }
  public var projectedValue: Binding<Value> { self }
}

public struct TapGesture {
  var action: (() -> Void)?
  public init() {}
  public func onEnded(_ action: @escaping () -> Void) -> TapGesture {
    var gesture = self
    gesture.action = action
    return gesture
  }
}

public struct GestureMask: OptionSet, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let none: GestureMask = []
  public static let gesture = GestureMask(rawValue: 1)
  public static let subviews = GestureMask(rawValue: 2)
  public static let all: GestureMask = [.gesture, .subviews]
}

public struct AnyTransition: Sendable {
  public static let opacity = AnyTransition()
}

/// Any ``ModifiedView``.
@MainActor
public protocol AnyModifiedView {
  var modifiedContent: any View { get }
  var onAppear: (() -> Void)? { get }
  var onDisappear: (() -> Void)? { get }
  var onTap: (() -> Void)? { get }
  var onSize: ((CGSize) -> Void)? { get }
  var onValueChange: (() -> Void)? { get }
  var overlay: (any View)? { get }
  var label: Text? { get }
  var idealSize: CGSize? { get }
}

/// A view with a modifier; tests call the closures.
public struct ModifiedView<Content: View>: View, AnyModifiedView {
  public typealias Body = Never
  public let content: Content
  public var onAppear: (() -> Void)?
  public var onDisappear: (() -> Void)?
  public var onTap: (() -> Void)?
  public var onSize: ((CGSize) -> Void)?
  public var onValueChange: (() -> Void)?
  public var overlay: (any View)?
  public var label: Text?
  public var idealSize: CGSize?

  public var modifiedContent: any View { content }

  init(_ content: Content) { self.content = content }
}

extension View {
  private func modified(_ change: (inout ModifiedView<Self>) -> Void) -> ModifiedView<Self> {
    var view = ModifiedView(self)
    change(&view)
    return view
  }

  public func onAppear(perform action: (() -> Void)? = nil) -> some View { modified { $0.onAppear = action } }
  public func onDisappear(perform action: (() -> Void)? = nil) -> some View { modified { $0.onDisappear = action } }
  public func gesture(_ gesture: TapGesture, including mask: GestureMask = .all) -> some View {
    modified { if mask.contains(.gesture) { $0.onTap = gesture.action } }
  }
  public func onTapGesture(count: Int = 1, perform action: @escaping () -> Void) -> some View {
    modified { $0.onTap = action }
  }
  public func overlay<Overlay: View>(@ViewBuilder content: () -> Overlay) -> some View {
    let overlay = content()
    return modified { $0.overlay = overlay }
  }
  public func onGeometryChange<Value: Equatable & Sendable>(
    for type: Value.Type, of transform: @escaping @Sendable (GeometryProxy) -> Value,
    action: @escaping (Value) -> Void
  ) -> some View {
    modified { $0.onSize = { size in action(transform(GeometryProxy(size: size))) } }
  }
  public func onChange<Value: Equatable>(of value: Value, initial: Bool = false, _ action: @escaping () -> Void)
    -> some View
  {
    modified { $0.onValueChange = action }
  }
  public func frame(width: CGFloat? = nil, height: CGFloat? = nil) -> some View { modified { _ in } }
  public func frame(
    minWidth: CGFloat? = nil, idealWidth: CGFloat? = nil, maxWidth: CGFloat? = nil, minHeight: CGFloat? = nil,
    idealHeight: CGFloat? = nil, maxHeight: CGFloat? = nil
  ) -> some View {
    modified { $0.idealSize = idealWidth.flatMap { width in idealHeight.map { CGSize(width: width, height: $0) } } }
  }
  public func aspectRatio(_ ratio: CGFloat? = nil, contentMode: ContentMode) -> some View { modified { _ in } }
  public func clipped() -> some View { modified { _ in } }
  public func opacity(_ opacity: Double) -> some View { modified { _ in } }
  public func transition(_ transition: AnyTransition) -> some View { modified { _ in } }
  public func accessibilityElement() -> some View { modified { _ in } }
  public func accessibilityLabel(_ label: Text) -> some View { modified { $0.label = label } }
  public func id<ID: Hashable>(_ id: ID) -> some View { modified { _ in } }
}

/// Keeps its value in a box, as long as the view value lives; see ``View/keepingState(in:)``.
@propertyWrapper
@MainActor
public struct State<Value>: AnyState {
  final class Box {
    var value: Value
    /// The box of the same view in an earlier evaluation.
    var earlier: Box?
    init(_ value: Value) { self.value = value }
    var first: Box { earlier?.first ?? self }
  }
  let box: Box

  public init(wrappedValue: Value) { box = Box(wrappedValue) }
  public var wrappedValue: Value {
    get { box.first.value }
    nonmutating set { box.first.value = newValue }
  }

  public var projectedValue: Binding<Value> {
    Binding(get: { [box] in box.first.value }, set: { [box] in box.first.value = $0 })
  }

  public func adopt(_ earlier: any AnyState) {
    if let earlier = earlier as? State<Value> { box.earlier = earlier.box }
  }
  public var kept: Any { box.first.value }
  public var own: Any { box.value }
}

@MainActor
public protocol AnyState {
  func adopt(_ earlier: any AnyState)
  /// The value of the first evaluation.
  var kept: Any { get }
  /// The value that this evaluation has made.
  var own: Any { get }
}

extension View {
  public var states: [any AnyState] { Mirror(reflecting: self).children.compactMap { $0.value as? any AnyState } }

  /// The next value of this view, with the state of this one: what an evaluation of the view around it does.
  public func keepingState(in next: Self) -> Self {
    for (state, earlier) in zip(next.states, states) { state.adopt(earlier) }
    return next
  }
}

public protocol EnvironmentKey {
  associatedtype Value
  static var defaultValue: Value { get }
}

#if canImport(UIKit)
public protocol UITraitBridgedEnvironmentKey: EnvironmentKey {
  static func read(from traitCollection: UITraitCollection) -> Value
  static func write(to mutableTraits: inout any UIMutableTraits, value: Value)
}
#endif

@MainActor
public struct EnvironmentValues {
  /// The environment of all views; set by tests.
  public static var current = EnvironmentValues()
  private var values: [ObjectIdentifier: Any] = [:]

  public subscript<Key: EnvironmentKey>(key: Key.Type) -> Key.Value {
    get {
      if let value = values[ObjectIdentifier(key)] { return value as? Key.Value ?? Key.defaultValue }
      #if canImport(UIKit)
      if let traits, let key = key as? any UITraitBridgedEnvironmentKey.Type {
        return key.read(from: traits) as? Key.Value ?? Key.defaultValue
      }
      #endif
      return Key.defaultValue
    }
    set { values[ObjectIdentifier(key)] = newValue }
  }

  #if canImport(UIKit)
  /// The traits of the view of UIKit that SwiftUI is in.
  public var traits: UITraitCollection?
  #endif
  public var displayScale: CGFloat = 2
  public var accessibilityReduceMotion = false
  public var accessibilityPlayAnimatedImages: Bool { AXAnimatedImagesEnabled() }
}

@propertyWrapper
@MainActor
public struct Environment<Value> {
  public let wrappedValue: Value

  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) {
    wrappedValue = EnvironmentValues.current[keyPath: keyPath]
  }
}
