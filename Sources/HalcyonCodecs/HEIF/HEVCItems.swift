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
      inputs.count == rowCount * columnCount, Self.canvasSize(grid[0], at: 4) == size
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
  var rowSize: PixelSize { PixelSize(width: tileSize.width * columnCount, height: tileSize.height) }

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

  /// The size of a derived image, at `offset` in its data.
  private static func canvasSize(_ data: Bytes, at offset: Int) -> PixelSize? {
    let isWide = (data[1] ?? 0) & 1 == 1
    let width = isWide ? data.unsigned32(at: offset) : data.unsigned16(at: offset)
    let height = isWide ? data.unsigned32(at: offset + 4) : data.unsigned16(at: offset + 2)
    guard let width, let height else { return nil }
    return PixelSize(width: width, height: height)
  }
}

extension HEVCItems {
  /// Throws unless a decoder that follows the items allocates no more pixels for each than the limits allow.
  static func check(
    _ file: Bytes, _ metadata: Bytes, _ table: ItemTable, _ limits: ImageLimits
  ) throws(ImageDecodingError) {
    let locations = ItemLocations(file, metadata)
    for item in table.imageItems.sorted() {
      guard let size = size(of: item, table) else { throw .corrupt(.heic, reason: "an item has no size") }
      try limits.check(size, format: .heic)
      switch table.types[item] {
      case "iden": continue
      // The size of an overlay follows the colour of its canvas (ISO/IEC 23008-12, 6.6.2.2.2).
      case "grid": try check(size, isOf: locations.data(of: item), at: 4)
      case "iovl": try check(size, isOf: locations.data(of: item), at: 10)
      case "hvc1":
        // libheif takes all lengths of units for numbers of four bytes.
        guard let picture = self.item(item, table, locations), (picture.configuration[21] ?? 0) & 3 == 3 else {
          throw .corrupt(.heic, reason: "an item has no data that libheif can read")
        }
        try HEVCUnits(picture).forEach { $0.error(size: size, pictureCount: 1, limits) }
      case let type: throw .unsupportedFeature(.heic, feature: "images of the type \(type ?? "")")
      }
    }
  }

  private static func check(
    _ size: PixelSize, isOf data: [Bytes]?, at offset: Int
  ) throws(ImageDecodingError) {
    guard let data, data.count == 1, let canvas = canvasSize(data[0], at: offset) else {
      throw .corrupt(.heic, reason: "a derived image has no size")
    }
    guard canvas == size else { throw .wrongSize(.heic, canvas, stated: size) }
  }
}
#endif
