@_exported public import CoreGraphics
@_exported public import Foundation

/// Unchecked: nothing changes after its creation.
public final class UIImage: @unchecked Sendable {
  public enum Orientation: Int, Sendable {
    case up, down, left, right, upMirrored, downMirrored, leftMirrored, rightMirrored
  }

  public let cgImage: CGImage?
  public let scale: CGFloat
  public let imageOrientation: Orientation

  public init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {
    self.cgImage = cgImage
    self.scale = scale
    imageOrientation = orientation
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
  public nonisolated static let willTerminateNotification =
    NSNotification.Name("UIApplicationWillTerminateNotification")

  open func beginBackgroundTask(
    withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
  ) -> UIBackgroundTaskIdentifier { .invalid }
  open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
}

@MainActor
public final class UIWindow {}

@MainActor
public final class UITraitCollection {
  public var displayScale: CGFloat { 2 }
}

@MainActor
open class UIView {
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

  public struct AnimationOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let allowUserInteraction = AnimationOptions(rawValue: 2)
    public static let transitionCrossDissolve = AnimationOptions(rawValue: 5 << 20)
  }

  open var frame: CGRect
  open var bounds: CGRect = .zero
  open var center: CGPoint = .zero
  open var contentMode: ContentMode = .scaleToFill
  open var autoresizingMask: AutoresizingMask = []
  open var isUserInteractionEnabled = true
  open var isHidden = false
  open var clipsToBounds = false
  open var window: UIWindow? { nil }
  open var traitCollection: UITraitCollection { UITraitCollection() }

  public init(frame: CGRect) { self.frame = frame }
  public required init?(coder: NSCoder) { nil }
  open func addSubview(_ view: UIView) {}
  open func removeFromSuperview() {}
  open func layoutSubviews() {}
  open func didMoveToWindow() {}

  public static func transition(
    with view: UIView, duration: TimeInterval, options: AnimationOptions = [], animations: (() -> Void)?,
    completion: ((Bool) -> Void)? = nil
  ) {}
}

open class UIImageView: UIView {
  open var image: UIImage?
}

open class UIActivityIndicatorView: UIView {
  public enum Style: Sendable { case medium }

  public init(style: Style) { super.init(frame: .zero) }
  public required init?(coder: NSCoder) { nil }
  open func startAnimating() {}
}

open class UIProgressView: UIView {
  public enum Style: Sendable { case `default` }

  public convenience init(progressViewStyle style: Style) { self.init(frame: .zero) }
  open func setProgress(_ progress: Float, animated: Bool) {}
}
