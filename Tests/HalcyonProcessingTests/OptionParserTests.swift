import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonProcessing

/// A segment of a path, and the options that it stands for.
struct OptionCase: CustomTestStringConvertible, Sendable {
  let segment: String
  let change: @Sendable (inout ProcessingOptions) -> Void

  init(_ segment: String, _ change: @escaping @Sendable (inout ProcessingOptions) -> Void) {
    (self.segment, self.change) = (segment, change)
  }

  var testDescription: String { segment }
}

@Suite(.unitTest)
struct OptionParserTests {
  static let cases: [OptionCase] = [
    OptionCase("resize:fill:300:200:1:1:no:0:5") {
      $0.resizingType = .fill
      ($0.width, $0.height, $0.enlarge) = (300, 200, true)
      $0.extend.isEnabled = true
      $0.extend.gravity = Gravity(.north, y: 5)
    },
    OptionCase("rs:fill-down:300") { ($0.resizingType, $0.width) = (.fillDown, 300) },
    OptionCase("size:300:200:1:0") { ($0.width, $0.height, $0.enlarge) = (300, 200, true) },
    OptionCase("s::200") { $0.height = 200 }, OptionCase("resizing_type:auto") { $0.resizingType = .auto },
    OptionCase("rt:force") { $0.resizingType = .force }, OptionCase("width:300") { $0.width = 300 },
    OptionCase("w:0") { _ in }, OptionCase("h:200") { $0.height = 200 }, OptionCase("height:200") { $0.height = 200 },
    OptionCase("min-width:30") { $0.minWidth = 30 }, OptionCase("mw:30") { $0.minWidth = 30 },
    OptionCase("min-height:20") { $0.minHeight = 20 }, OptionCase("mh:20") { $0.minHeight = 20 },
    OptionCase("zoom:1.5") { ($0.zoomX, $0.zoomY) = (1.5, 1.5) },
    OptionCase("z:1.5:2") { ($0.zoomX, $0.zoomY) = (1.5, 2) }, OptionCase("dpr:2") { $0.dpr = 2 },
    OptionCase("enlarge:T") { $0.enlarge = true }, OptionCase("el:True") { $0.enlarge = true },
    OptionCase("el:TRUE") { $0.enlarge = true }, OptionCase("ar:F") { $0.autoRotate = false },
    OptionCase("ar:False") { $0.autoRotate = false }, OptionCase("ar:FALSE") { $0.autoRotate = false },
    OptionCase("enlarge:t") { $0.enlarge = true }, OptionCase("el:true") { $0.enlarge = true },
    OptionCase("extend:1") { $0.extend.isEnabled = true },
    OptionCase("ex:1:soea:1:2") {
      $0.extend.isEnabled = true
      $0.extend.gravity = Gravity(.southEast, x: 1, y: 2)
    },
    OptionCase("extend_aspect_ratio:1") { $0.extendAspectRatio.isEnabled = true },
    OptionCase("extend_ar:1") { $0.extendAspectRatio.isEnabled = true },
    OptionCase("exar:t:we") {
      $0.extendAspectRatio.isEnabled = true
      $0.extendAspectRatio.gravity = Gravity(.west)
    },
    OptionCase("gravity:nowe:10:0.25") { $0.gravity = Gravity(.northWest, x: 10, y: 0.25) },
    OptionCase("g:fp:0.25:0.75") { $0.gravity = Gravity(.focusPoint, x: 0.25, y: 0.75) },
    OptionCase("g:sm") { $0.gravity = Gravity(.smart) }, OptionCase("trim:10") { $0.trim = .init(threshold: 10) },
    OptionCase("c:1:2:sm") { $0.crop = .init(width: 1, height: 2, gravity: Gravity(.smart)) },
    OptionCase("t:1.5:fff:1:T") {
      $0.trim = .init(threshold: 1.5, color: .white, equalHorizontally: true, equalVertically: true)
    },
    OptionCase("trim:") { _ in }, OptionCase("crop:0.5:100") { $0.crop = .init(width: 0.5, height: 100) },
    OptionCase("c:10:20:so:0:3") { $0.crop = .init(width: 10, height: 20, gravity: Gravity(.south, y: 3)) },
    OptionCase("padding:10") { $0.padding = .init(top: 10, right: 10, bottom: 10, left: 10) },
    OptionCase("pd:1:2") { $0.padding = .init(top: 1, right: 2, bottom: 1, left: 2) },
    OptionCase("pd:1:2:3:4") { $0.padding = .init(top: 1, right: 2, bottom: 3, left: 4) },
    OptionCase("pd:::3") { $0.padding = .init(bottom: 3) },
    OptionCase("auto_rotate:0") { $0.autoRotate = false }, OptionCase("ar:f") { $0.autoRotate = false },
    OptionCase("rotate:90") { $0.rotation = 90 }, OptionCase("rot:-90") { $0.rotation = 270 },
    OptionCase("rot:-450") { $0.rotation = 270 }, OptionCase("rot:450") { $0.rotation = 90 },
    OptionCase("flip:1") { $0.flipsHorizontally = true },
    OptionCase("fl:0:1") { $0.flipsVertically = true },
    OptionCase("background:255:128:0") { $0.background = PixelColor(red: 255, green: 128, blue: 0) },
    OptionCase("bg:ff8000") { $0.background = PixelColor(red: 255, green: 128, blue: 0) },
    OptionCase("bg:f80") { $0.background = PixelColor(red: 255, green: 136, blue: 0) }, OptionCase("bg:") { _ in },
    OptionCase("adjust:10:1.5:0.5") { ($0.brightness, $0.contrast, $0.saturation) = (10, 1.5, 0.5) },
    OptionCase("a:-10") { $0.brightness = -10 }, OptionCase("brightness:10") { $0.brightness = 10 },
    OptionCase("br:-255") { $0.brightness = -255 }, OptionCase("contrast:2") { $0.contrast = 2 },
    OptionCase("co:0.5") { $0.contrast = 0.5 }, OptionCase("saturation:0") { $0.saturation = 0 },
    OptionCase("sa:2") { $0.saturation = 2 }, OptionCase("blur:1.5") { $0.blur = 1.5 },
    OptionCase("bl:3") { $0.blur = 3 }, OptionCase("sharpen:0.7") { $0.sharpen = 0.7 },
    OptionCase("sh:1") { $0.sharpen = 1 }, OptionCase("pixelate:8") { $0.pixelate = 8 },
    OptionCase("pix:2") { $0.pixelate = 2 },
    OptionCase("watermark:0.5:soea:10:20:0.2") {
      $0.watermark = .init(opacity: 0.5, gravity: Gravity(.southEast, x: 10, y: 20), scale: 0.2)
    },
    OptionCase("wm:1:re:5:5") {
      $0.watermark = .init(opacity: 1, gravity: Gravity(x: 5, y: 5), isRepeated: true)
    },
    OptionCase("wm:0") { _ in }, OptionCase("quality:60") { $0.quality = 60 }, OptionCase("q:100") { $0.quality = 100 },
    OptionCase("format_quality:jpg:70:webp:60") { $0.formatQuality = [.jpeg: 70, .webp: 60] },
    OptionCase("fq:avif:50") { $0.formatQuality = [.avif: 50] }, OptionCase("format:webp") { $0.format = .webp },
    OptionCase("f:jpg") { $0.format = .jpeg }, OptionCase("ext:jxl") { $0.format = .jpegXL },
    OptionCase("max_bytes:1000") { $0.maxBytes = 1000 }, OptionCase("mb:1") { $0.maxBytes = 1 },
    OptionCase("skip_processing:gif:svg") { $0.skippedFormats = [.gif, .svg] },
    OptionCase("skp:png") { $0.skippedFormats = [.png] }, OptionCase("raw:1") { $0.raw = true },
    OptionCase("strip_metadata:1") { $0.stripsMetadata = true }, OptionCase("sm:0") { $0.stripsMetadata = false },
    OptionCase("kcr:1") { $0.keepsCopyright = true }, OptionCase("eth:1") { _ in },
    OptionCase("strip_color_profile:0") { $0.stripsColorProfile = false },
    OptionCase("scp:1") { $0.stripsColorProfile = true }, OptionCase("preserve_hdr:1") { $0.preservesHDR = true },
    OptionCase("ph:0") { $0.preservesHDR = false },
    OptionCase("cachebuster:abc") { $0.cacheBuster = "abc" }, OptionCase("cb:1") { $0.cacheBuster = "1" },
    OptionCase("expires:1700000000") { $0.expires = 1_700_000_000 }, OptionCase("exp:0") { _ in },
    OptionCase("exp:-42") { _ in },
    OptionCase("fn:sunset:t") { $0.filename = String(decoding: [0xB2, 0xE9, 0xDE, 0x7A], as: UTF8.self) },
    OptionCase("filename:my%20cat") { $0.filename = "my cat" }, OptionCase("fn:Y2F0:1") { $0.filename = "cat" },
    OptionCase("return_attachment:1") { $0.returnsAttachment = true },
    OptionCase("att:t") { $0.returnsAttachment = true },
  ]

  @Test(arguments: cases) func `an option and its short name set the documented values`(option: OptionCase) throws {
    var expected = ProcessingOptions()
    option.change(&expected)
    #expect(try options(option.segment) == expected)
  }

  @Test(arguments: [
    "w:-1", "w:x", "w:1.5", "w:200000", "h:1e3", "rs:cover:1:1", "rt:", "zoom:0", "dpr:0", "dpr:nan", "el:maybe",
    "g:obj", "g:sm:1", "ex:1:sm", "wm:1:sm", "t:x", "t:300", "t:1:red", "g:fp:2:0", "g:fp", "g:fp:0.5", "c:1:1:fp",
    "g:no:inf", "c:-1:2", "rot:45", "bg:red", "bg:256:0:0",
    "bg:12345", "bg:#ff8000", "bl:-1", "br:300",
    "q:101", "q:-1", "f:exe", "f:", "fq:jpg", "fq:jpg:101", "mb:-1", "exp:soon", "fn:*:1", "wm:2", "wm:1:fp", "fl:2",
    "ex:2", "pd:-1", "w:%zz",
  ])
  func `an invalid argument is an error that names the option`(segment: String) {
    guard !["rt:", "f:"].contains(segment) else {
      #expect(throws: Never.self) { try options(segment) }
      return
    }
    #expect(throws: OptionError.self) { try options(segment) }
  }

  @Test(arguments: ["w:1:2", "q:1:2", "pd:1:2:3:4:5", "c:1:2:ce:0:0:0", "z:1:2:3", "bg:1:2:3:4", "ex:1:no:0:0:0"])
  func `too many arguments are an error`(segment: String) {
    #expect(throws: OptionError.self) { try options(segment) }
  }

  /// An option up to its argument, the last number that it accepts, and the first that it does not.
  @Test(arguments: [
    ("w", "100000", "100001"), ("h", "100000", "100001"), ("mw", "100000", "100001"), ("mh", "100000", "100001"),
    ("s:1", "100000", "100001"), ("rs:fit:1", "0", "-1"), ("z", "1000", "1000.1"), ("z:1", "0.001", "0.0009"),
    ("dpr", "1000", "1001"), ("dpr", "0.001", "0"), ("br", "255", "256"), ("br", "-255", "-256"), ("a", "255", "256"),
    ("a:0", "100", "100.1"), ("a:0:1", "0", "-0.1"), ("co", "100", "100.1"), ("co", "0", "-0.1"),
    ("sa", "100", "100.1"),
    ("bl", "1000", "1000.1"), ("sh", "100", "100.1"), ("pix", "100000", "100001"), ("pix", "0", "-1"), ("q", "0", "-1"),
    ("fq:png", "100", "101"), ("mb", "1000000000", "1000000001"), ("t", "255", "255.1"), ("t", "0", "-0.1"),
    ("pd", "10000", "10001"), ("pd:1:1:1", "10000", "10001"), ("rot", "3600", "3690"), ("rot", "-3600", "-3690"),
    ("c", "100000", "100001"), ("c:1", "100000", "100001"), ("wm", "1", "1.01"), ("wm", "0", "-0.01"),
    ("wm:1:ce", "-100000", "-100001"), ("wm:1:ce:0", "100000", "100001"), ("wm:1:ce:0:0", "10", "10.1"),
    ("g:no", "100000", "100001"), ("g:no:0", "-100000", "-100001"), ("g:fp:0", "1", "1.01"), ("g:fp:0", "0", "-0.01"),
    ("ex:1:no", "100000", "100001"), ("bg:0:0", "255", "256"), ("bg:0:0", "0", "-1"), ("msr", "1000000", "1000000.1"),
    ("msr", "0", "-1"), ("mafr", "1000000", "1000000.1"), ("maf", "1", "0"), ("mrd", "100000", "100001"),
    ("mrd", "0", "-1"),
  ])
  func `a number has limits`(_ option: String, _ last: String, _ first: String) throws {
    let parser = OptionParser(acceptsLimits: true)
    #expect(throws: Never.self) { try parser.options(["\(option):\(last)"]) }
    #expect(throws: OptionError.self) { try parser.options(["\(option):\(first)"]) }
  }

  @Test(arguments: [
    "w:3", "h:3", "mw:3", "mh:3", "z:2:3", "dpr:2", "el:1", "g:no", "t:9", "pd:1:2:3:4", "fl:1:1", "bg:fff",
    "wm:1", "a:1:2:3", "br:4", "co:2", "sa:2", "bl:1", "sh:1", "pix:3", "q:5", "mb:3", "raw:1", "cb:x", "exp:9", "fn:x",
    "f:png", "msr:1", "msfs:1", "maf:1", "mafr:1", "mrd:1", "ex:1:no", "exar:1:no",
  ])
  func `an option without an argument has its default again`(_ segment: String) throws {
    let parser = OptionParser(acceptsLimits: true)
    let name = try #require(segment.split(separator: ":").first)
    #expect(try parser.options([segment]).options != ProcessingOptions())
    #expect(try parser.options([segment, name + ":"]).options == ProcessingOptions())
  }

  @Test(arguments: ["rs:fill:3:4:1", "s:3:4:1", "rt:fill", "rot:90", "ar:1", "sm:1", "kcr:1", "scp:1", "ph:1", "att:1"])
  func `other options without an argument change nothing`(_ segment: String) throws {
    let name = try #require(segment.split(separator: ":").first)
    let options = try options(segment)
    #expect(options != ProcessingOptions())
    #expect(try OptionParser().options([segment, name + ":"]).options == options)
  }

  static let limits: [OptionCase] = [
    OptionCase("max_src_resolution:2.5") { $0.sourcePixelLimit = 2_500_000 }, OptionCase("msr:0") { _ in },
    OptionCase("max_src_file_size:5") { $0.sourceByteLimit = 5 }, OptionCase("msfs:0") { _ in },
    OptionCase("msfs:-1") { _ in }, OptionCase("max_animation_frames:3") { $0.animationFrameLimit = 3 },
    OptionCase("max_animation_frame_resolution:1.5") { $0.animationPixelLimit = 1_500_000 },
    OptionCase("mafr:0") { $0.animationPixelLimit = 0 },
    OptionCase("max_result_dimension:0") { $0.resultDimension = 0 },
  ]

  @Test(arguments: limits) func `limits are accepted where paths may have them`(option: OptionCase) throws {
    var expected = ProcessingOptions()
    option.change(&expected)
    #expect(try OptionParser(acceptsLimits: true).options([option.segment]).options == expected)
    #expect(throws: OptionError.self) { try options(option.segment) }
  }

  @Test func `an unknown option is an error`() {
    #expect(throws: OptionError.unknownOption("hovercraft")) { try options("hovercraft:1") }
  }

  @Test func `later segments override earlier ones, and the extension the format`() throws {
    let options = try OptionParser().options(["w:100", "w:200", "f:png"], fileExtension: "webp").options
    #expect(options.width == 200)
    #expect(options.format == .webp)
  }

  @Test(arguments: ["w:300", "width:300"])
  func `a result has one identifier whatever the names of its options, without those of the response`(segment: String)
    throws
  {
    let parser = OptionParser(presets: ["small": ["h:9"]])
    let identifier = try parser.options(["cb:x", segment, "fn:cat", "pr:small"], fileExtension: "png").identifier
    #expect(identifier == "width:300/height:9/format:png")
  }

  @Test func `an unknown extension is an error`() throws {
    #expect(throws: OptionError.unknownFormat("exe")) { try OptionParser().options([], fileExtension: "exe") }
  }

  @Test func `presets are applied in order, the default one first`() throws {
    let parser = OptionParser(presets: [
      "default": ["q:50", "w:10"], "small": ["w:100", "h:100"], "sharp": ["sh:1"], "both": ["pr:small:sharp"],
    ])
    let options = try parser.options(["pr:both", "h:50"]).options
    #expect(options.quality == 50)
    #expect(options.width == 100)
    #expect(options.height == 50)
    #expect(options.sharpen == 1)
    #expect(throws: OptionError.unknownPreset("huge")) {
      try parser.options(["pr:huge"]).options
    }
  }

  @Test func `a preset that contains itself ends`() throws {
    let parser = OptionParser(presets: ["a": ["pr:b", "w:1"], "b": ["pr:a", "h:2"]])
    let options = try parser.options(["pr:a"]).options
    #expect(options.width == 1)
    #expect(options.height == 2)
  }

  @Test func `only names of presets are accepted where these are required`() throws {
    let parser = OptionParser(presets: ["small": ["w:100"], "sharp": ["sh:1"]], acceptsPresetsOnly: true)
    #expect(try parser.options(["small:sharp"]).options.width == 100)
    #expect(throws: OptionError.presetsOnly("w:100")) { try parser.options(["w:100"]) }
  }

  @Test func `options may be limited to some, presets may have any`() throws {
    let parser = OptionParser(presets: ["small": ["q:5"]], allowed: ["w", "pr"])
    let options = try parser.options(["pr:small", "w:3"]).options
    #expect(options.width == 3)
    #expect(options.quality == 5)
    #expect(throws: OptionError.optionNotAllowed("width")) {
      try parser.options(["width:3"]).options
    }
  }

  @Test func `presets are checked with all that they contain`() {
    #expect(throws: OptionError.self) { try OptionParser(presets: ["bad": ["w:x"]]).checkPresets() }
    #expect(throws: Never.self) { try OptionParser(presets: ["good": ["w:1"]]).checkPresets() }
  }

  private func options(_ segment: String) throws -> ProcessingOptions {
    try OptionParser().options([segment]).options
  }
}
