/// A rectangle of whole pixels.
package struct PixelArea: Hashable, Sendable {
  package var left: Int
  package var top: Int
  package var width: Int
  package var height: Int

  package init(left: Int, top: Int, width: Int, height: Int) {
    (self.left, self.top, self.width, self.height) = (left, top, width, height)
  }

  package var size: PixelSize { PixelSize(width: width, height: height) }
}
