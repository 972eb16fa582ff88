#if !IMAGEIO
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

/// Rare values of the fields that describe colours.
@Suite(.unitTest)
struct ColorCodeTests {
  @Test func `each code point of primaries has its own`() {
    let reds = [(1, 0.64), (2, 0.64), (5, 0.64), (6, 0.63), (7, 0.63), (9, 0.708), (11, 0.68), (12, 0.68)]
    for (code, red) in reds { #expect(Chromaticities(cicp: code)?.red.x == red, "\(code)") }
    #expect(Chromaticities(cicp: 5)?.green.x == 0.29 && Chromaticities(cicp: 1)?.green.x == 0.30)
    #expect(Chromaticities(cicp: 11)?.white.x == 0.314 && Chromaticities(cicp: 12)?.white.x == 0.3127)
    for code in [0, 3, 4, 8, 10, 22, 99] { #expect(Chromaticities(cicp: code) == nil, "\(code)") }
  }

  @Test func `each code point of transfer functions of standard dynamic range has its curve`() {
    let curves: [Int: TransferCurve] = [
      1: .sRGB, 2: .sRGB, 4: .gamma(2.2), 5: .gamma(2.8), 6: .sRGB, 8: .gamma(1), 13: .sRGB, 14: .sRGB, 15: .sRGB,
    ]
    for code in 0...20 { #expect(TransferCurve(cicp: code) == curves[code], "\(code)") }
  }

  @Test func `luminances of a mastering display are in steps of 0.0001`() {
    let content: [UInt8] = Array(repeating: 0, count: 16) + [0, 0x98, 0x96, 0x80] + [0, 0, 0, 50]
    let box: [UInt8] = [0, 0, 0, 32] + Array("mdcv".utf8) + content
    var header = HEIFImageHeader(
      codedSize: PixelSize(width: 1, height: 1), aperture: CleanAperture(whole: PixelSize(width: 1, height: 1)))
    box.withUnsafeBytes { bytes in
      if let box = Box(Bytes(bytes), at: 0) { header.apply(box) }
    }
    #expect(header.light.masteringPeak == 1000 && header.light.peak == 1000)
  }

  @Test func `the peak of hybrid log-gamma is that of its display, whatever the file states`() throws {
    let light = ContentLight(contentPeak: 400, masteringPeak: 600)
    #expect(try #require(HighDynamicRange(primaries: 9, transfer: 18)).with(light).peak == 1000)
    #expect(try #require(HighDynamicRange(primaries: 9, transfer: 16)).with(light).peak == 400)
    #expect(ContentLight(contentPeak: 0, masteringPeak: 600).peak == 600)
    #expect(ContentLight(contentPeak: 20_000).peak == 10_000)
  }

  @Test(arguments: [16, 18]) func `high dynamic range with alpha is multiplied by it after mapping`(transfer: Int)
    throws
  {
    let mapper = ToneMapper(try #require(HighDynamicRange(primaries: 9, transfer: transfer)))
    let samples: [UInt16] = [2000, 1000, 500]
    for alpha in [UInt16(4095), 2048, 1000, 0] {
      let multiplied = samples.map { UInt16((Int($0) * Int(alpha) + 2047) / 4095) }
      let (straight, translucent) = (pixel(mapper, samples), pixel(mapper, multiplied + [alpha]))
      let opacity = (Int(alpha) * 255 + 2047) / 4095
      #expect(Int(translucent >> 24) == opacity)
      for shift in [UInt32(0), 8, 16] {
        let expected = Int(straight >> shift & 255) * opacity / 255
        #expect(abs(Int(translucent >> shift & 255) - expected) <= 2, "\(alpha)")
      }
    }
  }

  private func pixel(_ mapper: ToneMapper, _ samples: [UInt16]) -> UInt32 {
    var pixel: UInt32 = 0
    samples.withUnsafeBufferPointer { samples in
      let planes = samples.indices.compactMap { plane in samples.baseAddress.map { $0 + plane } }
      mapper.convert(planes, count: 1, into: &pixel)
    }
    return pixel
  }
}
#endif
