import HalcyonImaging

/// Parses the header of an AVIF or HEIC file.
struct HEIFImageHeaderParser {
  /// The properties of a grid's tiles that apply to the whole image.
  private static let tileProperties: Set = ["av1C", "hvcC", "colr", "pixi", "clli", "mdcv"]

  private let table: ItemTable

  /// The header, or `nil` if more bytes are needed; never `nil` for a complete file.
  ///
  /// - Parameter prefersSequence: Whether the image sequence is read instead of the primary item, if the major brand
  ///   says that the file is a sequence.
  static func parse(
    _ bytes: Bytes, format: ImageFormat, isComplete: Bool, prefersSequence: Bool
  ) throws(ImageDecodingError) -> HEIFImageHeader? {
    let file = try MediaFile(bytes, format: format)
    if !isComplete, file.metadata == nil || file.hasSequenceBrand && file.movie == nil {
      // A sequence does not need the `meta` box.
      guard file.isSequence, prefersSequence, file.movie != nil else { return nil }
    }
    let sequence = file.sequence
    if prefersSequence, file.isSequence, let sequence { return header(sequence) }
    guard let metadata = file.metadata else {
      if file.endsEarly { throw .truncated(format) }
      throw sequence == nil
        ? .corrupt(format, reason: "it has no meta box")
        : .unsupportedFeature(format, feature: "an image sequence without a still image")
    }
    let table = try ItemTable(metadata, format)
    var header = try HEIFImageHeaderParser(table: table).header(of: table.primary, format)
    if let sequence, sequence.frameCount > 1 {
      header.frameCount = prefersSequence ? 1 : sequence.frameCount
      header.droppedContent.insert(.frames)
    }
    return header
  }

  private static func header(_ sequence: HEIFImageSequence) -> HEIFImageHeader {
    var header = HEIFImageHeader(codedSize: sequence.size, aperture: CleanAperture(whole: sequence.size))
    header.frameCount = sequence.frameCount
    header.loopCount = sequence.loopCount
    header.frameDurations = sequence.durations
    header.hasAlpha = sequence.hasAlpha
    if sequence.hasDepth { header.droppedContent.insert(.depthMap) }
    for property in sequence.properties { header.apply(property) }
    if header.color?.highDynamicRange != nil { header.droppedContent.insert(.highDynamicRange) }
    return header
  }

  /// The header of another image than the primary one, in a `meta` box.
  static func header(
    of item: Int, in table: ItemTable, _ format: ImageFormat
  ) throws(ImageDecodingError) -> HEIFImageHeader {
    try HEIFImageHeaderParser(table: table).header(of: item, format)
  }

  private func header(of item: Int, _ format: ImageFormat) throws(ImageDecodingError) -> HEIFImageHeader {
    guard let extent = table.property("ispe", of: item), let width = extent.unsigned32(at: 4),
      let height = extent.unsigned32(at: 8)
    else {
      throw .corrupt(format, reason: item == table.primary ? "its primary item has no size" : "an item has no size")
    }
    let size = PixelSize(width: width, height: height)
    var header = HEIFImageHeader(codedSize: size, aperture: CleanAperture(whole: size))
    // The tiles of a grid have the codec configuration and colour coding; the grid may override them.
    for tile in table.inputs(of: item).prefix(1) {
      for property in table.properties(of: tile) where Self.tileProperties.contains(property.type) {
        header.apply(property)
      }
    }
    for property in table.properties(of: item) { header.apply(property) }
    readAuxiliaries(of: item, into: &header)
    if header.color?.highDynamicRange != nil { header.droppedContent.insert(.highDynamicRange) }
    return header
  }

  private func readAuxiliaries(of item: Int, into header: inout HEIFImageHeader) {
    let premultiplied = Set(table.references("prem")[item])
    // A grid may have alpha in each of its tiles.
    for auxiliary in table.auxiliaries(of: Set([item] + table.inputs(of: item))) {
      let type = table.auxiliaryType(of: auxiliary)
      if AuxiliaryType.alpha.contains(type) {
        header.hasAlpha = true
        header.isAlphaPremultiplied = header.isAlphaPremultiplied || premultiplied.contains(auxiliary)
      }
      if AuxiliaryType.depth.contains(type) { header.droppedContent.insert(.depthMap) }
    }
    guard item == table.primary, let gainMap = table.gainMap else { return }
    header.gainMap = gainMap.parameters == nil ? .apple : .iso
    header.droppedContent.insert(.gainMap)
  }
}

/// The types of auxiliary images (ISO/IEC 23008-12, 6.5.8).
enum AuxiliaryType {
  static let alpha: Set = ["urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1"]
  static let depth: Set = ["urn:mpeg:mpegB:cicp:systems:auxiliary:depth", "urn:mpeg:hevc:2015:auxid:2"]
  static let gainMap: Set = ["urn:com:apple:photo:2020:aux:hdrgainmap"]

  /// Longer than all types; thousands of items may have one long property.
  private static let byteLimit = 64

  /// The null-terminated type in an `auxC` or `auxi` box, after its version and flags.
  static func name(_ content: Bytes) -> String {
    String(decoding: content[4..<4 + byteLimit].buffer.prefix { $0 != 0 }, as: UTF8.self)
  }
}
