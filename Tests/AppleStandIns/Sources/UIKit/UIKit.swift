@_exported public import CoreGraphics
@_exported public import Foundation
@_exported public import ObjectiveC
@_exported public import QuartzCore

/// Unchecked: nothing changes after its creation.
public final class UIImage: @unchecked Sendable {
  public enum Orientation: Int, Sendable {
    case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored
  }

  public enum RenderingMode: Int, Sendable { case automatic, alwaysOriginal, alwaysTemplate }

  public enum DynamicRange: Int, Sendable { case unspecified = -1, standard, constrainedHigh, high }

  public let cgImage: CGImage?
  public let scale: CGFloat
  public let imageOrientation: Orientation
  public let renderingMode: RenderingMode

  public convenience init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {
    self.init(cgImage, scale, orientation, .automatic)
  }

  private init(_ cgImage: CGImage?, _ scale: CGFloat, _ orientation: Orientation, _ mode: RenderingMode) {
    (self.cgImage, self.scale, imageOrientation, renderingMode) = (cgImage, scale, orientation, mode)
  }

  /// Without pixels, as an image of Core Image.
  public convenience init() { self.init(nil, 1, .up, .automatic) }

  public func withRenderingMode(_ renderingMode: RenderingMode) -> UIImage {
    UIImage(cgImage, scale, imageOrientation, renderingMode)
  }

  /// The size in points, upright.
  public var size: CGSize {
    guard let cgImage else { return .zero }
    let (width, height) = (CGFloat(cgImage.width) / scale, CGFloat(cgImage.height) / scale)
    switch imageOrientation {
    case .left, .right, .leftMirrored, .rightMirrored: return CGSize(width: height, height: width)
    default: return CGSize(width: width, height: height)
    }
  }

  /// There are no asset catalogues.
  public init?(named name: String) { return nil }
  public init?(systemName name: String) { return nil }
}

public struct UIBackgroundTaskIdentifier: Hashable, RawRepresentable, Sendable {
  public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)

  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }
}

@MainActor
open class UIApplication {
  public nonisolated static let didEnterBackgroundNotification =
    NSNotification.Name("UIApplicationDidEnterBackgroundNotification")
  public nonisolated static let willEnterForegroundNotification =
    NSNotification.Name("UIApplicationWillEnterForegroundNotification")
  public nonisolated static let didReceiveMemoryWarningNotification =
    NSNotification.Name("UIApplicationDidReceiveMemoryWarningNotification")
  public nonisolated static let willTerminateNotification =
    NSNotification.Name("UIApplicationWillTerminateNotification")

  /// The tasks that have not been ended, with their expiration handlers.
  public private(set) var backgroundTasks: [UIBackgroundTaskIdentifier: (@MainActor @Sendable () -> Void)?] = [:]
  private var taskCount = 0
  /// Called when the last background task has ended.
  public var onLastTaskEnd: (@MainActor () -> Void)?

  public init() {}
  open func beginBackgroundTask(
    withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier {
    taskCount += 1
    let id = UIBackgroundTaskIdentifier(rawValue: taskCount)
    backgroundTasks[id] = .some(handler)
    return id
  }
  open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {
    backgroundTasks[identifier] = nil
    if backgroundTasks.isEmpty { onLastTaskEnd?() }
  }
}

@MainActor
open class UIResponder: KeyValueObservable {
  public nonisolated(unsafe) var associatedObjects: [UnsafeRawPointer: Any] = [:]

  public init() {}
}

public final class UIEvent {}

public enum UIDisplayGamut: Int, Sendable {
  case unspecified = -1
  case SRGB, P3
}

/// All views have the current traits.
public final class UITraitCollection: Sendable {
  /// Set by tests, on the main thread.
  public nonisolated(unsafe) static var current = UITraitCollection(displayGamut: .SRGB)

  /// 0 while unspecified, as of a view in no window.
  public let displayScale: CGFloat
  public let displayGamut: UIDisplayGamut

  public convenience init(displayGamut: UIDisplayGamut) { self.init(displayGamut: displayGamut, displayScale: 2) }
  /// For tests.
  public init(displayGamut: UIDisplayGamut, displayScale: CGFloat) {
    (self.displayGamut, self.displayScale) = (displayGamut, displayScale)
  }
}

public protocol UIMutableTraits {}

/// A view with a hierarchy. A change of its bounds resizes the subviews as their masks say, and lays it out at once if it has
/// both sides, otherwise with ``layoutIfNeeded()``.
@MainActor
open class UIView: UIResponder, CALayerDelegate {
  public enum ContentMode: Sendable { case scaleToFill, scaleAspectFit, scaleAspectFill, center }

  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let flexibleLeftMargin = AutoresizingMask(rawValue: 1)
    public static let flexibleWidth = AutoresizingMask(rawValue: 2)
    public static let flexibleRightMargin = AutoresizingMask(rawValue: 4)
    public static let flexibleTopMargin = AutoresizingMask(rawValue: 8)
    public static let flexibleHeight = AutoresizingMask(rawValue: 16)
    public static let flexibleBottomMargin = AutoresizingMask(rawValue: 32)
  }

  open var isAccessibilityElement = false
  open var accessibilityLabel: String?
  open var accessibilityValue: String?

  public struct AnimationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let allowUserInteraction = AnimationOptions(rawValue: 2)
    public static let transitionCrossDissolve = AnimationOptions(rawValue: 5 << 20)
  }

  open var frame: CGRect {
    didSet { bounds.size = frame.size }
  }
  open var bounds: CGRect = .zero {
    didSet {
      let (width, height) = (bounds.width - oldValue.width, bounds.height - oldValue.height)
      guard width != 0 || height != 0 else { return }
      for view in subviews {
        if view.autoresizingMask.contains(.flexibleWidth) { view.frame.size.width += width }
        if view.autoresizingMask.contains(.flexibleHeight) { view.frame.size.height += height }
      }
      needsLayout = true
      if bounds.width > 0, bounds.height > 0 { layoutIfNeeded() }
    }
  }
  private var needsLayout = true
  public private(set) lazy var layer: CALayer = {
    let layer = CALayer()
    layer.delegate = self
    return layer
  }()
  open var center: CGPoint = .zero
  open var contentMode: ContentMode = .scaleToFill { didSet { notifyObservers() } }
  open var autoresizingMask: AutoresizingMask = []
  open var isUserInteractionEnabled = true
  open var clipsToBounds = false
  open private(set) var subviews: [UIView] = []
  open private(set) weak var superview: UIView?
  open var window: UIWindow? { self as? UIWindow ?? superview?.window }
  open var traitCollection: UITraitCollection { .current }
  open var backgroundColor: UIColor?
  public private(set) var displayCount = 0

  public init(frame: CGRect) {
    self.frame = frame
    super.init()
    bounds.size = frame.size
  }
  public required init?(coder: NSCoder) { nil }

  open func addSubview(_ view: UIView) {
    view.removeFromSuperview()
    view.superview = self
    subviews.append(view)
    view.windowDidChange()
  }
  open func removeFromSuperview() {
    guard let superview else { return }
    superview.subviews.removeAll { $0 === self }
    self.superview = nil
    windowDidChange()
  }
  open func layoutSubviews() {}
  open func setNeedsLayout() { needsLayout = true }
  /// Lays out this view and those in it.
  open func layoutIfNeeded() {
    if needsLayout {
      needsLayout = false
      layoutSubviews()
    }
    for view in subviews { view.layoutIfNeeded() }
  }
  open func setNeedsDisplay() { displayCount += 1 }
  open func didMoveToWindow() {}
  open func point(inside point: CGPoint, with event: UIEvent?) -> Bool { bounds.contains(point) }
  /// Subviews have the origin of their superview here.
  open func hitTest(_ point: CGPoint, with event: UIEvent?) -> UIView? {
    guard isUserInteractionEnabled, self.point(inside: point, with: event) else { return nil }
    return subviews.reversed().lazy.compactMap { $0.hitTest(point, with: event) }.first ?? self
  }

  private func windowDidChange() {
    didMoveToWindow()
    for view in subviews { view.windowDidChange() }
  }

  private static var completions: [(Bool) -> Void] = []

  public static func transition(
    with view: UIView, duration: TimeInterval, options: AnimationOptions = [], animations: (() -> Void)?,
    completion: ((Bool) -> Void)? = nil
  ) {
    animations?()
    if let completion { completions.append(completion) }
  }

  /// Transitions end when this is called, not after their duration.
  public static func endTransitions() {
    let ended = completions
    completions = []
    for completion in ended { completion(true) }
  }
}

public final class UIColor {
  public static var systemBackground: UIColor { UIColor() }
  public static var secondarySystemBackground: UIColor { UIColor() }
}

open class UIWindow: UIView {}

/// A vertical stack, whose views have its width and the height of their content.
open class UIStackView: UIView {
  public init(arrangedSubviews views: [UIView]) {
    super.init(frame: .zero)
    for view in views { addSubview(view) }
  }
  public required init?(coder: NSCoder) { nil }

  open override func layoutSubviews() {
    for case let view as UIImageView in subviews {
      view.frame.size = CGSize(width: bounds.width, height: max(0, view.intrinsicContentSize.height))
    }
  }
}

open class UIBarButtonItem {
  open var image: UIImage?

  public init() {}
}

open class UIImageView: UIView {
  open var image: UIImage?
  open var preferredImageDynamicRange = UIImage.DynamicRange.unspecified
  /// The size of a view whose place does not give it one.
  open var intrinsicContentSize: CGSize { image?.size ?? CGSize(width: -1, height: -1) }

  public override init(frame: CGRect) {
    super.init(frame: frame)
    isUserInteractionEnabled = false
  }
  public required init?(coder: NSCoder) { nil }
}

open class UIActivityIndicatorView: UIView {
  public enum Style: Sendable { case medium }

  public init(style: Style) { super.init(frame: .zero) }
  public required init?(coder: NSCoder) { nil }
  open private(set) var isAnimating = false
  open func startAnimating() { isAnimating = true }
}

open class UIProgressView: UIView {
  public enum Style: Sendable { case `default` }

  open private(set) var progress: Float = 0
  public convenience init(progressViewStyle style: Style) { self.init(frame: .zero) }
  open func setProgress(_ progress: Float, animated: Bool) { self.progress = progress }
}

@MainActor
open class UIAction {
  let handler: (UIAction) -> Void

  public convenience init(handler: @escaping (UIAction) -> Void) { self.init(handler) }
  init(_ handler: @escaping (UIAction) -> Void) { self.handler = handler }
}

open class UIControl: UIView {
  public struct Event: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let touchUpInside = Event(rawValue: 64)
    public static let primaryActionTriggered = Event(rawValue: 8192)
  }

  public struct State: OptionSet, Hashable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let normal = State([])
    public static let highlighted = State(rawValue: 1)
    public static let disabled = State(rawValue: 2)
    public static let selected = State(rawValue: 4)
  }

  private var actions: [(action: UIAction, events: Event)] = []

  open func addAction(_ action: UIAction, for controlEvents: Event) { actions.append((action, controlEvents)) }
  open func sendActions(for controlEvents: Event) {
    for (action, events) in actions where !events.isDisjoint(with: controlEvents) { action.handler(action) }
  }
}

open class UIButton: UIControl {
  private var images: [State: UIImage] = [:]
  private var backgroundImages: [State: UIImage] = [:]

  open func setImage(_ image: UIImage?, for state: State) { images[state] = image }
  open func image(for state: State) -> UIImage? { images[state] ?? images[.normal] }
  open func setBackgroundImage(_ image: UIImage?, for state: State) { backgroundImages[state] = image }
  open func backgroundImage(for state: State) -> UIImage? { backgroundImages[state] ?? backgroundImages[.normal] }
}

open class NSTextAttachment: AssociationOwner {
  public var associatedObjects: [UnsafeRawPointer: Any] = [:]
  open var image: UIImage?
  open var bounds: CGRect = .zero

  public init() {}
}

extension NSNotification.Name {
  public static let NSExtensionHostDidEnterBackground =
    NSNotification.Name("NSExtensionHostDidEnterBackgroundNotification")
  public static let NSExtensionHostWillEnterForeground =
    NSNotification.Name("NSExtensionHostWillEnterForegroundNotification")
}

extension ProcessInfo {
  public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {
    DispatchQueue.global().async { block(false) }
  }
}

@MainActor
public enum UIAccessibility {
  /// Set by tests.
  public static var isReduceMotionEnabled = false
}
