#if !IMAGEIO
import HalcyonImaging

/// The stored planes of a grey JPEG image, or a YCbCr image whose chroma planes have the same power-of-two subsampling.
struct JPEGPlanes {
  struct Plane: Equatable {
    /// The size without padding.
    let size: PixelSize
    /// The samples in a row, in whole MCUs.
    let storedWidth: Int
    /// The rows that are decoded at once: a row of MCUs.
    let groupRows: Int
  }

  private(set) var format: PlaneFormat
  /// The rows of each plane that are decoded at once.
  let groupRows: [Int]
  /// The size of the first plane without padding to a multiple of the subsampling.
  private var size: PixelSize

  /// `nil` for planes of other kinds.
  init?(size: PixelSize, planes: [Plane]) {
    guard let first = planes.first, first.size == size else { return nil }
    self.size = size
    groupRows = planes.map(\.groupRows)
    let rowByteCounts = planes.map(\.storedWidth)
    guard planes.count > 1 else {
      format = PlaneFormat(channels: .grey, size: size, rowByteCounts: rowByteCounts)
      return
    }
    guard planes.count == 3, planes[1] == planes[2],
      let shiftX = Self.shift(from: first.storedWidth, to: planes[1].storedWidth),
      let shiftY = Self.shift(from: first.groupRows, to: planes[1].groupRows)
    else { return nil }
    format = PlaneFormat(
      channels: .yCbCr(shiftX: shiftX, shiftY: shiftY),
      size: PixelSize(
        width: size.width.roundedUp(toMultipleOf: 1 << shiftX), height: size.height.roundedUp(toMultipleOf: 1 << shiftY)
      ),
      rowByteCounts: rowByteCounts)
  }

  /// The planes of a part of the image.
  ///
  /// - Parameter units: The number of MCUs in a row of the part and of the image.
  func part(_ size: PixelSize, units: (part: Int, whole: Int) = (1, 1)) -> JPEGPlanes {
    var part = self
    part.size = size
    part.format.rowByteCounts = format.rowByteCounts.map { $0 / units.whole * units.part }
    let step = if case .yCbCr(let shiftX, let shiftY) = format.channels { (1 << shiftX, 1 << shiftY) } else { (1, 1) }
    part.format.size = size.roundedUp(toMultiplesOf: PixelSize(width: step.0, height: step.1))
    return part
  }

  /// Fills the padding of the first plane with its last column and row, as its content in the file is arbitrary.
  func pad(_ range: Range<Int>, of planes: borrowing PlaneBuffer) {
    if size.width < format.size.width {
      for row in range {
        let samples = planes.row(row, ofPlane: 0)
        for column in size.width..<format.size.width { samples[column] = samples[size.width - 1] }
      }
    }
    guard range.contains(size.height - 1) else { return }
    for row in size.height..<max(size.height, format.size.height) {
      planes.row(row, ofPlane: 0).update(from: planes.row(size.height - 1, ofPlane: 0), count: format.size.width)
    }
  }

  /// The binary logarithm of the subsampling: 0, 1 or 2.
  private static func shift(from first: Int, to second: Int) -> Int? {
    (0...2).first { second << $0 == first }
  }
}

extension Int {
  fileprivate func roundedUp(toMultipleOf unit: Int) -> Int { (self + unit - 1) / unit * unit }
}
#endif
