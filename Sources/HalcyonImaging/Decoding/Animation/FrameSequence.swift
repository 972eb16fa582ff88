/// Goes to any picture of an animation by reading on, or by starting again. For one thread at a time.
struct FrameSequence {
  private let image: AnimatedImage
  private var reader: (any ImageFrameReader)?
  private var position = 0

  init(_ image: AnimatedImage) {
    self.image = image
  }

  /// The picture at an index. Takes as long as decoding all pictures between the last one and this one.
  mutating func frame(at index: Int) throws -> AnimationFrame {
    do {
      return try read(index)
    } catch {
      // What a reader gives after an error is nobody's promise.
      (reader, position) = (nil, 0)
      throw error
    }
  }

  private mutating func read(_ index: Int) throws -> AnimationFrame {
    let reader = try reader ?? image.sourceReader()
    self.reader = reader
    if index < position {
      try reader.rewind()
      position = 0
    }
    while let frame = try reader.nextFrame() {
      position += 1
      // Those that are only passed need no processing.
      if position == index + 1 { return try image.processed(frame) }
    }
    throw ImageDecodingError.corrupt(image.info.format, reason: "it ends after \(position) pictures")
  }
}
