#if HEIF && !IMAGEIO
import HalcyonImaging

/// The coded data of an image in HEVC: of one item, perhaps with another one for its alpha, or of the tiles of an opaque
/// grid (ISO/IEC 23008-12, 6.6.2.3).
struct HEVCItems {
  /// One picture.
  struct Item {
    /// The `hvcC` property, with the parameter sets.
    let configuration: Bytes
    /// The NAL units, each after its length; often in one part.
    let data: [Bytes]
  }

  /// The tiles, row by row, from the left.
  let items: [Item]
  /// The alpha of an image that is no grid.
  let alpha: Item?
  let columnCount: Int
  /// The size of the whole image.
  let size: PixelSize
  /// The size of each tile; tiles at the right and at the bottom may extend beyond the image.
  let tileSize: PixelSize

  /// `nil` if the item is something else, or damaged.
  ///
  /// - Parameters:
  ///   - metadata: The `meta` box of the file.
  ///   - item: The item of the image. Default: the primary one.
  init?(_ file: Bytes, metadata: Bytes, header: HEIFImageHeader, item: Int? = nil) {
    guard let table = try? ItemTable(metadata, .heic) else { return nil }
    let locations = ItemLocations(file, metadata)
    let image = item ?? table.primary
    size = header.codedSize
    if table.types[image] == "hvc1" {
      let alpha = header.hasAlpha ? Self.alpha(of: image, size, table, locations) : nil
      guard let item = Self.item(image, table, locations), header.hasAlpha == (alpha != nil) else { return nil }
      (items, self.alpha, columnCount, tileSize) = ([item], alpha, 1, size)
      return
    }
    let inputs = table.inputs(of: image)
    guard table.types[image] == "grid", !header.hasAlpha, let grid = locations.data(of: image),
      grid.count == 1,
      let rowCount = grid[0][2].map({ Int($0) + 1 }), let columnCount = grid[0][3].map({ Int($0) + 1 }),
      inputs.count == rowCount * columnCount, Self.size(ofGrid: grid[0]) == size
    else { return nil }
    let tileSizes = Set(inputs.map { Self.size(of: $0, table) })
    guard tileSizes.count == 1, let tileSize = tileSizes.first ?? nil, tileSize.width > 0, tileSize.height > 0,
      tileSize.width * columnCount >= size.width, tileSize.height * rowCount >= size.height
    else { return nil }
    var items: [Item] = []
    for input in inputs {
      guard table.types[input] == "hvc1", let item = Self.item(input, table, locations) else { return nil }
      items.append(item)
    }
    (self.items, alpha, self.columnCount, self.tileSize) = (items, nil, columnCount, tileSize)
  }

  /// The tiles that are in memory at once.
  var rowSize: PixelSize { PixelSize(width: size.width, height: tileSize.height) }

  private static func item(_ identifier: Int, _ table: ItemTable, _ locations: ItemLocations) -> Item? {
    guard let configuration = table.property("hvcC", of: identifier), let data = locations.data(of: identifier) else {
      return nil
    }
    return Item(configuration: configuration, data: data)
  }

  /// `nil` unless there is one alpha image of the same size, which is coded in HEVC.
  private static func alpha(
    of item: Int, _ size: PixelSize, _ table: ItemTable, _ locations: ItemLocations
  ) -> Item? {
    let images = table.auxiliaries(of: [item]).filter { AuxiliaryType.alpha.contains(table.auxiliaryType(of: $0)) }
    guard images.count == 1, table.types[images[0]] == "hvc1", Self.size(of: images[0], table) == size else {
      return nil
    }
    return self.item(images[0], table, locations)
  }

  private static func size(of item: Int, _ table: ItemTable) -> PixelSize? {
    guard let extent = table.property("ispe", of: item), let width = extent.unsigned32(at: 4),
      let height = extent.unsigned32(at: 8)
    else { return nil }
    return PixelSize(width: width, height: height)
  }

  private static func size(ofGrid grid: Bytes) -> PixelSize? {
    let isWide = (grid[1] ?? 0) & 1 == 1
    let width = isWide ? grid.unsigned32(at: 4) : grid.unsigned16(at: 4)
    let height = isWide ? grid.unsigned32(at: 8) : grid.unsigned16(at: 6)
    guard let width, let height else { return nil }
    return PixelSize(width: width, height: height)
  }
}
#endif
