@_exported public import CoreGraphics
@_exported public import Foundation

public final class NSImageRep {
  public let pixelsWide: Int
  public let pixelsHigh: Int

  fileprivate init(_ image: CGImage) { (pixelsWide, pixelsHigh) = (image.width, image.height) }
}

public final class NSGraphicsContext {}

public final class NSImage {
  public struct HintKey: Hashable, Sendable {}

  public let size: CGSize
  public var representations: [NSImageRep] { [NSImageRep(pixels)] }
  private let pixels: CGImage

  public init(cgImage: CGImage, size: CGSize) {
    pixels = cgImage
    self.size = size
  }

  /// There are no asset catalogues.
  public init?(named name: String) { return nil }
  public init?(systemSymbolName name: String, accessibilityDescription: String?) { return nil }

  public func cgImage(
    forProposedRect rect: UnsafeMutablePointer<CGRect>?, context: NSGraphicsContext?, hints: [HintKey: Any]?
  ) -> CGImage? { pixels }
}

public struct CATransitionType: Sendable {
  public static let fade = CATransitionType()
}

public final class CATransition {
  public var type = CATransitionType.fade
  public var duration: TimeInterval = 0

  public init() {}
}

public final class CALayer {
  public func add(_ animation: CATransition, forKey key: String?) {}
}

@MainActor
open class NSApplication {
  public nonisolated static let didResignActiveNotification =
    NSNotification.Name("NSApplicationDidResignActiveNotification")
  public nonisolated static let willTerminateNotification =
    NSNotification.Name("NSApplicationWillTerminateNotification")
}

@MainActor
public final class NSWindow {
  public var backingScaleFactor: CGFloat { 2 }
}

@MainActor
open class NSView {
  public struct AutoresizingMask: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let width = AutoresizingMask(rawValue: 2)
    public static let height = AutoresizingMask(rawValue: 16)
  }

  open var frame: CGRect
  open var bounds: CGRect = .zero
  open var autoresizingMask: AutoresizingMask = []
  open var wantsLayer = false
  open var layer: CALayer? { nil }
  open var window: NSWindow? { nil }

  public init(frame: CGRect) { self.frame = frame }
  public required init?(coder: NSCoder) { nil }
  open func addSubview(_ view: NSView) {}
  open func removeFromSuperview() {}
  open func hitTest(_ point: CGPoint) -> NSView? { nil }
  open func setFrameSize(_ newSize: CGSize) {}
  open func viewDidMoveToWindow() {}
  open func viewDidChangeBackingProperties() {}
}

public enum NSImageScaling: Sendable {
  case scaleProportionallyDown, scaleAxesIndependently, scaleNone, scaleProportionallyUpOrDown
}

open class NSImageView: NSView {
  open var image: NSImage?
  open var imageScaling = NSImageScaling.scaleProportionallyDown
}

open class NSProgressIndicator: NSView {
  public enum Style: Sendable { case bar, spinning }

  open var style = Style.bar
  open var isIndeterminate = true
  open var minValue = 0.0
  open var maxValue = 100.0
  open var doubleValue = 0.0

  open func startAnimation(_ sender: Any?) {}
}
