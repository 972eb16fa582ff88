#if !IMAGEIO
import CHalcyonLCMS
import Foundation
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.integrationTest)
struct ColorTransformTests {
  private static let proPhoto = Chromaticities(
    white: .init(x: 0.3457, y: 0.3585), red: .init(x: 0.7347, y: 0.2653), green: .init(x: 0.1596, y: 0.8404),
    blue: .init(x: 0.0366, y: 0.0001))

  /// Descriptions of three curves and a matrix, from narrow to very wide.
  private static let displays: [ColorDescription] = [
    .display(.bt601With525Lines, .sRGB), .display(.bt709, .gamma(1.8)), .display(.displayP3, .sRGB),
    .display(.dciP3, .gamma(2.6)), .display(.bt2020, .gamma(2.4)), .display(.bt709, .gamma(1)),
    .display(proPhoto, .gamma(1.8)),
  ]

  /// A grid over the RGB cube and its dark corner, with all alphas.
  private static let colors: [UInt8] = {
    let steps = [0, 1, 2, 3, 5, 8, 13] + stride(from: 21, through: 255, by: 18)
    let channels = steps.map { UInt8($0) }
    return channels.flatMap { red in
      channels.flatMap { green in channels.flatMap { [red, green, $0, red &* 31 &+ green &* 7 &+ $0] } }
    }
  }()

  @Test(arguments: displays, ColorSpace.allCases)
  func `colours of three curves and a matrix are within a level of Little CMS`(
    _ description: ColorDescription, _ space: ColorSpace
  ) throws {
    let differences = try Self.differences(description, to: space)
    #expect(differences.max() ?? 255 <= 1)
    #expect(differences.count { $0 == 1 } * 40 <= differences.count)
  }

  @Test(arguments: ["display-p3.jpeg", "adobe-rgb.png"])
  func `profiles of files are within a level of Little CMS`(_ name: String) throws {
    let file = try Fixture.data("color/\(name)")
    let metadata = try StandardCodecs.decoder(of: file).metadata(of: file)
    let profile = ColorDescription.profile(try #require(metadata.colorProfile))
    #expect(try Self.differences(profile, to: .sRGB).max() ?? 255 <= 1)
  }

  @Test(arguments: [false, true])
  func `a profile whose channels depend on each other is converted by Little CMS`(_ hasCurves: Bool) throws {
    let profile = try Self.profileWithTable(hasCurves: hasCurves)
    let transform = try #require(ColorTransform(profile, layout: .rgba8, to: .sRGB))
    #expect(try Self.differences(profile, to: .sRGB).max() == 0)
    let redAndYellow: [UInt8] = [255, 0, 0, 9, 255, 255, 0, 8]
    var output = redAndYellow
    transform.convert(redAndYellow, to: &output, count: 2)
    #expect(output == [255, 255, 255, 9, 0, 0, 0, 8])
  }

  @Test func `greys are those of Little CMS, with their alpha`() throws {
    let curve = cmsBuildGamma(nil, 1.4)
    defer { cmsFreeToneCurve(curve) }
    let handle = try #require(cmsCreateGrayProfile(cmsD50_xyY(), curve))
    let profile = try Self.saved(handle)
    let greys: [UInt8] = (0...255).flatMap { [$0, 7, 9, 255 - $0] }
    let transform = try #require(ColorTransform(profile, layout: .greyInRGBA8, to: .sRGB))
    var output = greys
    transform.convert(greys, to: &output, count: 256)
    let expected = try Self.converted(greys, profile, lcms_shim_gray_in_rgba_8, to: .sRGB)
    for index in greys.indices { #expect(output[index] == (index % 4 == 3 ? greys[index] : expected[index])) }
    #expect(!transform.isIdentity)
  }

  @Test(arguments: ColorSpace.allCases)
  func `a profile of the space itself changes nothing`(_ space: ColorSpace) throws {
    let same = try #require(ColorTransform(.display(space.chromaticities, .sRGB), layout: .rgba8, to: space))
    #expect(same.isIdentity)
    let other: Chromaticities = space == .sRGB ? .displayP3 : .bt709
    #expect(try !#require(ColorTransform(.display(other, .sRGB), layout: .rgba8, to: space)).isIdentity)
  }

  /// The differences of each byte to Little CMS.
  private static func differences(_ description: ColorDescription, to space: ColorSpace) throws -> [Int] {
    let transform = try #require(ColorTransform(description, layout: .rgba8, to: space))
    var output = [UInt8](repeating: 0, count: colors.count)
    transform.convert(colors, to: &output, count: colors.count / 4)
    return zip(output, try converted(colors, description, lcms_shim_rgba_8, to: space)).map { abs(Int($0) - Int($1)) }
  }

  private static func converted(
    _ pixels: [UInt8], _ description: ColorDescription, _ format: cmsUInt32Number, to space: ColorSpace
  ) throws -> [UInt8] {
    let (source, target) = (try #require(description.openProfile()), try #require(space.openProfile()))
    defer {
      cmsCloseProfile(source)
      cmsCloseProfile(target)
    }
    let transform = try #require(LittleCMS.makeTransform(source, format, to: target, lcms_shim_rgba_8))
    defer { cmsDeleteTransform(transform) }
    var output = pixels
    cmsDoTransform(transform, pixels, &output, cmsUInt32Number(pixels.count / 4))
    return output
  }

  /// A profile with a table of the corners of the RGB cube in place of curves and a matrix, or beside them.
  private static func profileWithTable(hasCurves: Bool) throws -> ColorDescription {
    let profile = try #require(cmsCreateProfilePlaceholder(nil))
    cmsSetProfileVersion(profile, 2.4)
    cmsSetDeviceClass(profile, cmsSigInputClass)
    cmsSetColorSpace(profile, cmsSigRgbData)
    cmsSetPCS(profile, cmsSigLabData)
    // In Lab of version 2: white where one channel is at its largest value or all three are, else black.
    let corners = (0..<8).flatMap { [$0.nonzeroBitCount % 2 == 1 ? 0xFF00 : 0, 0x8000, 0x8000] as [cmsUInt16Number] }
    let pipeline = try #require(cmsPipelineAlloc(nil, 3, 3))
    defer { cmsPipelineFree(pipeline) }
    cmsPipelineInsertStage(pipeline, cmsAT_END, cmsStageAllocCLut16bit(nil, 2, 3, 3, corners))
    try #require(cmsWriteTag(profile, cmsSigAToB0Tag, UnsafeRawPointer(pipeline)) != 0)
    guard hasCurves else { return try saved(profile) }
    let curves = try #require(cmsCreate_sRGBProfile())
    defer { cmsCloseProfile(curves) }
    for tag in [
      cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag, cmsSigRedTRCTag, cmsSigGreenTRCTag,
      cmsSigBlueTRCTag,
    ] {
      try #require(cmsWriteTag(profile, tag, UnsafeRawPointer(cmsReadTag(curves, tag))) != 0)
    }
    return try saved(profile)
  }

  /// The bytes of a profile, which is closed.
  private static func saved(_ profile: cmsHPROFILE) throws -> ColorDescription {
    defer { cmsCloseProfile(profile) }
    var count: cmsUInt32Number = 0
    try #require(cmsSaveProfileToMem(profile, nil, &count) != 0)
    var data = Data(count: Int(count))
    let isSaved = data.withUnsafeMutableBytes { cmsSaveProfileToMem(profile, $0.baseAddress, &count) }
    try #require(isSaved != 0)
    return .profile(data)
  }
}
#endif
