#if canImport(CoreGraphics)
import CoreGraphics
import HalcyonViews

extension ViewSize {
  init(_ size: CGSize) { self.init(width: Double(size.width), height: Double(size.height)) }
}
#endif
