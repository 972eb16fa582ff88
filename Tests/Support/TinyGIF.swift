public import Foundation

/// GIF files written by hand: pictures of one pixel, shown for ever.
public enum TinyGIF {
  /// An animation whose pictures have the colours of `reds` in turn, 50 ms each.
  public static func animation(reds: [UInt8]) -> Data {
    var bytes = Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0]
    bytes += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
    for red in reds {
      bytes += [0x21, 0xF9, 4, 0, 5, 0, 0, 0]
      // A table of two colours, and the codes 4 (clear), 0 and 5 (end) of three bits each.
      bytes += [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0x80, red, 0, 0, 0, 0, 0, 2, 2, 0x44, 0x01, 0]
    }
    return Data(bytes + [0x3B])
  }
}
