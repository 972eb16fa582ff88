@_exported public import Foundation

public typealias CFArray = [Any]
public typealias CFData = Data
public typealias CFMutableData = NSMutableData
public typealias CFString = String
public typealias CFDictionary = [CFString: Any]

public final class CGColorSpace: Sendable {
  public static let sRGB = "kCGColorSpaceSRGB"
  public static let displayP3 = "kCGColorSpaceDisplayP3"
  public static let extendedLinearDisplayP3 = "kCGColorSpaceExtendedLinearDisplayP3"

  public let name: CFString?

  var isWide: Bool { name == CGColorSpace.displayP3 }

  public init?(name: CFString) {
    guard [CGColorSpace.sRGB, CGColorSpace.displayP3, CGColorSpace.extendedLinearDisplayP3].contains(name) else {
      return nil
    }
    self.name = name
  }
}

public typealias CGDataProviderReleaseDataCallback =
  @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer, Int) -> Void

public final class CGDataProvider {
  let bytes: UnsafeRawBufferPointer
  private let info: UnsafeMutableRawPointer?
  private let releaseData: CGDataProviderReleaseDataCallback

  public init?(
    dataInfo info: UnsafeMutableRawPointer?, data: UnsafeRawPointer, size: Int,
    releaseData: @escaping CGDataProviderReleaseDataCallback
  ) {
    self.info = info
    self.releaseData = releaseData
    bytes = UnsafeRawBufferPointer(start: data, count: size)
  }

  deinit {
    if let data = bytes.baseAddress { releaseData(info, data, bytes.count) }
  }
}

public enum CGImageAlphaInfo: UInt32, Sendable {
  case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst
}

public struct CGBitmapInfo: OptionSet, Sendable {
  public static let alphaInfoMask = CGBitmapInfo(rawValue: 31)
  public static let floatComponents = CGBitmapInfo(rawValue: 1 << 8)
  public static let byteOrder16Little = CGBitmapInfo(rawValue: 1 << 12)

  /// How components of 16 bits are stored; of the others, nothing.
  static let halfFloats: CGBitmapInfo = [.floatComponents, .byteOrder16Little]

  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }
}

public enum CGColorRenderingIntent: Int32 {
  case defaultIntent
}

/// Four bytes or half floats a pixel: premultiplied RGBA, or RGB and a component that is skipped.
public final class CGImage {
  public let width: Int
  public let height: Int
  public let bytesPerRow: Int
  public let bitmapInfo: CGBitmapInfo
  public var alphaInfo: CGImageAlphaInfo {
    CGImageAlphaInfo(rawValue: bitmapInfo.intersection(.alphaInfoMask).rawValue) ?? .none
  }

  public let colorSpace: CGColorSpace?

  let provider: CGDataProvider

  public init?(
    width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
    bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
    intent: CGColorRenderingIntent
  ) {
    let isHalfFloat = bitmapInfo.isSuperset(of: .halfFloats)
    guard width > 0, height > 0, bitsPerComponent == (isHalfFloat ? 16 : 8), bitsPerPixel == bitsPerComponent * 4,
      bytesPerRow >= width * bitsPerPixel / 8,
      provider.bytes.count >= bytesPerRow * (height - 1) + width * bitsPerPixel / 8
    else { return nil }
    self.width = width
    self.height = height
    self.bytesPerRow = bytesPerRow
    self.bitmapInfo = bitmapInfo
    colorSpace = space
    self.provider = provider
  }
}

/// Draws into memory in the layout of ``CGImageAlphaInfo/premultipliedLast``, and half floats only into half floats.
public final class CGContext {
  private let data: UnsafeMutableRawPointer
  private let bytesPerRow: Int
  private let bounds: CGRect
  private let space: CGColorSpace
  private let isHalfFloat: Bool

  public init?(
    data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
    space: CGColorSpace, bitmapInfo: UInt32
  ) {
    let info = CGBitmapInfo(rawValue: bitmapInfo)
    isHalfFloat = info.isSuperset(of: .halfFloats)
    guard let data, width > 0, height > 0, bitsPerComponent == (isHalfFloat ? 16 : 8),
      bytesPerRow >= width * bitsPerComponent / 2,
      info.subtracting(.halfFloats).rawValue == CGImageAlphaInfo.premultipliedLast.rawValue
    else { return nil }
    self.data = data
    self.bytesPerRow = bytesPerRow
    self.space = space
    bounds = CGRect(x: 0, y: 0, width: CGFloat(width), height: CGFloat(height))
  }

  /// Only whole images at their own size, onto transparent pixels.
  public func draw(_ image: CGImage, in rect: CGRect) {
    precondition(
      rect == bounds && rect.width == CGFloat(image.width) && rect.height == CGFloat(image.height),
      "this stand-in does not scale")
    precondition(
      image.bitmapInfo.isSuperset(of: .halfFloats) == isHalfFloat, "this stand-in does not convert half floats")
    if isHalfFloat {
      for row in 0..<image.height {
        guard let source = image.provider.bytes.baseAddress else { return }
        (data + row * bytesPerRow).copyMemory(from: source + row * image.bytesPerRow, byteCount: image.width * 8)
      }
      return
    }
    let isOpaque = image.alphaInfo == .noneSkipLast
    for row in 0..<image.height {
      guard let source = image.provider.bytes.baseAddress else { return }
      let target = data + row * bytesPerRow
      target.copyMemory(from: source + row * image.bytesPerRow, byteCount: image.width * 4)
      for column in 0..<image.width where isOpaque {
        target.storeBytes(of: 255, toByteOffset: column * 4 + 3, as: UInt8.self)
      }
      if image.colorSpace?.isWide != space.isWide {
        convert(target.assumingMemoryBound(to: UInt8.self), count: image.width)
      }
    }
  }

  /// Converts premultiplied pixels between sRGB and Display P3.
  private func convert(_ row: UnsafeMutablePointer<UInt8>, count: Int) {
    let matrix =
      space.isWide
      ? [[0.8225, 0.1775, 0], [0.0332, 0.9668, 0], [0.0171, 0.0724, 0.9105]]
      : [[1.2249, -0.2249, 0], [-0.0421, 1.0421, 0], [-0.0196, -0.0786, 1.0983]]
    for column in 0..<count {
      let pixel = row + column * 4
      let alpha = Double(max(pixel[3], 1))
      let light = (0..<3).map { channel in
        let value = min(Double(pixel[channel]) / alpha, 1)
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
      }
      for channel in 0..<3 {
        let sum = min(max((0..<3).reduce(0) { $0 + matrix[channel][$1] * light[$1] }, 0), 1)
        let value = sum <= 0.0031308 ? 12.92 * sum : 1.055 * pow(sum, 1 / 2.4) - 0.055
        pixel[channel] = UInt8((value * Double(pixel[3])).rounded())
      }
    }
  }
}
