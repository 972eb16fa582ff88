@_exported public import CoreGraphics
public import ObjectiveC

public struct CATransitionType: Hashable, Sendable {
  public static let fade = CATransitionType(name: "kCATransitionFade")

  let name: String
}

public final class CATransition {
  public var type = CATransitionType.fade
  public var duration: TimeInterval = 0

  public init() {}
}

public struct CALayerContentsGravity: Hashable, Sendable {
  public static let resize = CALayerContentsGravity(name: "kCAGravityResize")
  public static let resizeAspect = CALayerContentsGravity(name: "kCAGravityResizeAspect")
  public static let resizeAspectFill = CALayerContentsGravity(name: "kCAGravityResizeAspectFill")

  let name: String
}

public protocol CALayerDelegate: AnyObject {}

open class CALayer: AssociationOwner {
  public var associatedObjects: [UnsafeRawPointer: Any] = [:]
  open var bounds: CGRect = .zero
  open var contentsScale: CGFloat = 1
  open var contentsGravity = CALayerContentsGravity.resize
  open var contents: Any?
  open weak var delegate: (any CALayerDelegate)?
  open private(set) weak var superlayer: CALayer?
  private var sublayers: [CALayer] = []
  /// The animations that were added, by their keys.
  public private(set) var animations: [String: CATransition] = [:]

  public init() {}
  open func addSublayer(_ layer: CALayer) {
    layer.superlayer = self
    sublayers.append(layer)
  }
  open func add(_ anim: CATransition, forKey key: String?) { animations[key ?? ""] = anim }
}

public struct CAFrameRateRange {
  public let preferred: Float?
  public init(minimum: Float, maximum: Float, preferred: Float? = nil) { self.preferred = preferred }
}

/// The method that a selector names.
@MainActor
public protocol CADisplayLinkTarget: AnyObject {
  func update(_ link: CADisplayLink)
}

/// A link whose updates come when ``step()`` is called.
@MainActor
public final class CADisplayLink {
  /// The links in a run loop.
  public private(set) static var links: [CADisplayLink] = []

  public var preferredFrameRateRange = CAFrameRateRange(minimum: 0, maximum: 0)
  private let target: any CADisplayLinkTarget

  public init(target: any CADisplayLinkTarget, selector: Selector) { self.target = target }
  public func add(to runloop: RunLoop, forMode mode: RunLoop.Mode) { Self.links.append(self) }
  public func invalidate() { Self.links.removeAll { $0 === self } }

  public static func step() {
    for link in links { link.target.update(link) }
  }
}

/// Transactions end when ``endAll()`` is called, not after the duration of their animations.
@MainActor
public enum CATransaction {
  private static var open: [(() -> Void)?] = []
  private static var committed: [() -> Void] = []

  public static func begin() { open.append(nil) }
  public static func setCompletionBlock(_ block: (() -> Void)?) {
    if !open.isEmpty { open[open.count - 1] = block }
  }
  public static func commit() {
    if let block = open.popLast() ?? nil { committed.append(block) }
  }

  public static func endAll() {
    let blocks = committed
    committed = []
    for block in blocks { block() }
  }
}
