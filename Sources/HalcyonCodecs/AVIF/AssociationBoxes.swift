#if AVIF && !IMAGEIO
import Foundation

/// The boxes that associate the items of a file with their properties (`ipma`; ISO/IEC 23008-12, 9.3.1).
enum AssociationBoxes {
  /// A copy of the file whose boxes all have different flags; `nil` if they do already.
  ///
  /// libavif rejects two boxes with equal flags, which some encoders write. Only the lowest of the 24 bits has a
  /// meaning.
  static func distinct(in file: UnsafeRawBufferPointer) -> Data? {
    guard let base = file.baseAddress, let metadata = Bytes(file).box("meta"),
      let properties = metadata.box("iprp", from: 4)
    else { return nil }
    let boxes = Box.boxes(in: properties).filter { $0.type == "ipma" && $0.content.count >= 4 }
    guard boxes.count > 1, boxes.count <= 256 else { return nil }
    var copy = Data(file)
    for (index, box) in boxes.enumerated() {
      guard let start = box.content.buffer.baseAddress else { return nil }
      copy[start - base + 1] = UInt8(index)
    }
    return copy
  }
}
#endif
