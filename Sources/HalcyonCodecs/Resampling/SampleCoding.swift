/// What the numbers of samples mean: those of JFIF where nothing else is said.
struct SampleCoding: Equatable {
  /// Where samples of smaller colour planes lie among those of the first plane.
  enum ChromaSiting: Equatable {
    case center
    case left
    case topLeft
  }

  /// A plane behind those of colour, which ``PlaneFormat/Channels/rgbaPremultiplied`` already has.
  enum Alpha: Equatable {
    case none
    case straight
    case premultiplied
  }

  /// Light beyond the white of paper, in the code points of ITU-T H.273.
  struct HighDynamicRange: Equatable {
    var primaries: Int
    var transfer: Int
  }

  /// Bits of a sample; over 8 it takes two bytes in the order of the machine.
  var depth = 8
  /// Whether black is 0 and white is the largest number.
  var isFullRange = true
  /// The matrix of YCbCr, as a code point of ITU-T H.273.
  var matrix = 5
  var chromaSiting = ChromaSiting.center
  var alpha = Alpha.none
  /// Colours that are turned into sRGB on the way, brighter ones cut to white. The white of paper has 203 cd/m²
  /// (ITU-R BT.2408).
  var highDynamicRange: HighDynamicRange?

  var bytesPerSample: Int { depth > 8 ? 2 : 1 }
}
