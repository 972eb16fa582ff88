#if canImport(UIKit) && !os(watchOS)
import Halcyon
public import HalcyonViews
public import UIKit

extension UITableViewCell {
  /// Loads the image of a cell whose content is a `UIListContentConfiguration`, which is set before: `cell.hc.setImage(with: url)`.
  ///
  /// The image is decoded to fit the `maximumSize` of the configuration's image properties, or a square of the cell's height.
  public var hc: ImageViewProxy { listImage(\.contentConfiguration, of: self) }
}

extension UICollectionViewCell {
  /// Loads the image of a cell whose content is a `UIListContentConfiguration`; see `hc` of a `UITableViewCell`.
  public var hc: ImageViewProxy { listImage(\.contentConfiguration, of: self) }
}

@MainActor
private func listImage<Cell: UIView>(
  _ content: ReferenceWritableKeyPath<Cell, (any UIContentConfiguration)?>, of cell: Cell
) -> ImageViewProxy {
  AssociatedDisplay.of(cell) { cell in
    var slot = SlotDisplay.Slot(
      size: { [weak cell] in
        let list = cell?[keyPath: content] as? UIListContentConfiguration
        let (limit, side) = (list?.imageProperties.maximumSize ?? .zero, cell?.bounds.height ?? 0)
        return ViewSize(limit.width > 0 && limit.height > 0 ? limit : CGSize(width: side, height: side))
      },
      scale: { [weak cell] in Double(cell?.traitCollection.displayScale ?? 1) },
      show: { [weak cell] shown, scale in
        guard var list = cell?[keyPath: content] as? UIListContentConfiguration else { return }
        list.image = shown.uiImage(scale)
        cell?[keyPath: content] = list
      },
      view: { [weak cell] in cell })
    slot.colorSpace = { [weak cell] in cell?.traitCollection.imageColorSpace ?? .screen }
    return SlotDisplay(slot)
  }.binder.hc
}
#endif
