@_exported public import CoreGraphics
@_exported public import Foundation
@_exported public import ObjectiveC
@_exported public import QuartzCore

public final class NSImageRep {
  public let pixelsWide: Int
  public let pixelsHigh: Int

  fileprivate init(_ image: CGImage) { (pixelsWide, pixelsHigh) = (image.width, image.height) }
}

public final class NSGraphicsContext {}

public final class NSImage {
  public struct HintKey: Hashable, Sendable {}

  public let size: CGSize
  public var isTemplate = false
  public var representations: [NSImageRep] { pixels.map { [NSImageRep($0)] } ?? [] }
  private let pixels: CGImage?

  public init(cgImage: CGImage, size: CGSize) {
    pixels = cgImage
    self.size = size
  }

  /// Without representations.
  public init(size: CGSize) {
    pixels = nil
    self.size = size
  }

  /// There are no asset catalogues.
  public init?(named name: String) { return nil }
  public init?(systemSymbolName name: String, accessibilityDescription: String?) { return nil }

  public func cgImage(
    forProposedRect rect: UnsafeMutablePointer<CGRect>?, context: NSGraphicsContext?, hints: [HintKey: Any]?
  ) -> CGImage? { pixels }
}

@MainActor
open class NSApplication {
  public nonisolated static let didResignActiveNotification =
    NSNotification.Name("NSApplicationDidResignActiveNotification")
  public nonisolated static let willTerminateNotification =
    NSNotification.Name("NSApplicationWillTerminateNotification")
}

@MainActor
open class NSResponder: KeyValueObservable {
  public nonisolated(unsafe) var associatedObjects: [UnsafeRawPointer: Any] = [:]

  init() {}
  open func mouseDown(with event: NSEvent) {}
  open func mouseUp(with event: NSEvent) {}
}

public final class NSEvent {
  public init() {}
}

public enum NSDisplayGamut: Int, Sendable {
  case sRGB = 1
  case p3
}

@MainActor
public final class NSScreen {
  public static var main: NSScreen?

  /// Set by tests.
  public var gamut = NSDisplayGamut.sRGB

  public var frame = CGRect(x: 0, y: 0, width: 1440, height: 900)

  public init() {}
  public func canRepresent(_ displayGamut: NSDisplayGamut) -> Bool { displayGamut.rawValue <= gamut.rawValue }
}

@MainActor
public final class NSWindow {
  public var screen: NSScreen?
  public var backingScaleFactor: CGFloat = 2
  /// The windows that are not covered by others.
  public var contentView: NSView? {
    didSet {
      oldValue?.shownIn = nil
      contentView?.shownIn = self
    }
  }

  public init() {}
}

/// A view with a hierarchy. Layout is done at once: a change of its size resizes the subviews as their masks say.
@MainActor
open class NSView: NSResponder {
  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let width = AutoresizingMask(rawValue: 2)
    public static let height = AutoresizingMask(rawValue: 16)
  }

  private var label: String?
  private var help: String?
  open func setAccessibilityLabel(_ label: String?) { self.label = label }
  open func accessibilityLabel() -> String? { label }
  open func setAccessibilityHelp(_ help: String?) { self.help = help }
  open func accessibilityHelp() -> String? { help }

  open var frame: CGRect {
    didSet { if frame.size != oldValue.size { setFrameSize(frame.size) } }
  }
  open var bounds: CGRect { CGRect(origin: .zero, size: frame.size) }
  open var autoresizingMask: AutoresizingMask = []
  open var wantsLayer = false {
    didSet { if wantsLayer, layer == nil { layer = CALayer() } }
  }
  open var layer: CALayer?
  open private(set) var subviews: [NSView] = []
  open private(set) weak var superview: NSView?
  open var window: NSWindow? { shownIn ?? superview?.window }
  open var needsDisplay = false
  fileprivate weak var shownIn: NSWindow? {
    didSet { windowDidChange() }
  }
  private var size: CGSize

  public init(frame: CGRect) {
    (self.frame, size) = (frame, frame.size)
    super.init()
  }
  public required init?(coder: NSCoder) { nil }

  open func addSubview(_ view: NSView) {
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
  open func hitTest(_ point: CGPoint) -> NSView? {
    guard frame.contains(point) else { return nil }
    let inside = CGPoint(x: point.x - frame.origin.x, y: point.y - frame.origin.y)
    return subviews.reversed().lazy.compactMap { $0.hitTest(inside) }.first ?? self
  }
  open func setFrameSize(_ newSize: CGSize) {
    let (width, height) = (newSize.width - size.width, newSize.height - size.height)
    size = newSize
    if frame.size != newSize { frame.size = newSize }
    for view in subviews {
      if view.autoresizingMask.contains(.width) { view.frame.size.width += width }
      if view.autoresizingMask.contains(.height) { view.frame.size.height += height }
    }
  }
  open func layout() { needsLayout = false }
  open var needsLayout = true
  open func layoutSubtreeIfNeeded() {
    if needsLayout { layout() }
    for view in subviews { view.layoutSubtreeIfNeeded() }
  }
  open func viewDidMoveToWindow() {}
  open func viewDidChangeBackingProperties() {}

  private func windowDidChange() {
    viewDidMoveToWindow()
    for view in subviews { view.windowDidChange() }
  }
}

public enum NSImageScaling: UInt, Sendable {
  case scaleProportionallyDown, scaleAxesIndependently, scaleNone, scaleProportionallyUpOrDown
}

open class NSControl: NSView {}

open class NSImageView: NSControl {
  open var image: NSImage?
  open var imageScaling = NSImageScaling.scaleProportionallyDown { didSet { notifyObservers() } }
}

open class NSButton: NSControl {
  open var image: NSImage?
  open var alternateImage: NSImage?
  open var imageScaling = NSImageScaling.scaleNone
}

open class NSProgressIndicator: NSView {
  public enum Style: UInt, Sendable { case bar, spinning }

  open var style = Style.bar
  open var isIndeterminate = true
  open var minValue = 0.0
  open var maxValue = 100.0
  open var doubleValue = 0.0

  open func startAnimation(_ sender: Any?) {}
}

open class NSTextAttachment: AssociationOwner {
  public var associatedObjects: [UnsafeRawPointer: Any] = [:]
  open var image: NSImage?
  open var bounds: CGRect = .zero

  public init() {}
}

@MainActor
open class NSWorkspace {
  public static let shared = NSWorkspace()
  public let accessibilityDisplayShouldReduceMotion = false
}
