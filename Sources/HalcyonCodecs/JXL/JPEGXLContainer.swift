#if JXL

/// The boxes around a JPEG XL codestream (ISO/IEC 18181-2, 9).
enum JPEGXLContainer {
  private static let codestreamBox = "jxlc"

  /// The codestream where it lies in one piece, else the whole file, which libjxl takes apart.
  ///
  /// libjxl 0.7 does not get over a codestream in a box with a size of 64 bits.
  static func codestream(in file: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var offset = 0
    while let box = Box(Bytes(file), at: offset) {
      if box.type == codestreamBox {
        let end = min(box.end, file.count)
        return UnsafeRawBufferPointer(rebasing: file[(end - box.content.count)..<end])
      }
      offset = box.end
    }
    return file
  }
}
#endif
