public import Foundation

/// Hand-written GIF files with frames of one pixel that loop forever.
public enum TinyGIF {
  /// An animation with one frame for each value of `reds`, its red component; each frame lasts 50 ms.
  public static func animation(reds: [UInt8]) -> Data {
    var bytes = Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0]
    bytes += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
    for red in reds {
      bytes += [0x21, 0xF9, 4, 0, 5, 0, 0, 0]
      // A colour table of two entries, and the codes 4 (clear), 0 and 5 (end) of three bits each.
      bytes += [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0x80, red, 0, 0, 0, 0, 0, 2, 2, 0x44, 0x01, 0]
    }
    return Data(bytes + [0x3B])
  }
}
