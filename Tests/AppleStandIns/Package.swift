// swift-tools-version: 6.3
import PackageDescription

// Builds the library on Linux as on Apple's platforms, over modules with the names and declarations of Apple's. They work
// as far as the tests need: images have pixels, views have a hierarchy, a size and a window, SwiftUI evaluates bodies. The
// library's sources are symbolic links; LinuxCodecs, over which ImageIO works, is HalcyonCodecs as on Linux.
//
// HALCYON_STAND_INS=iOS, macOS or watchOS builds with the frameworks of that platform alone, which `canImport` finds: each
// needs a `--scratch-path` of its own. The default is the frameworks of all.

let platform = Context.environment["HALCYON_STAND_INS"] ?? "all"
let hasUIKit = platform != "macOS" && platform != "watchOS"
let hasAppKit = platform != "iOS" && platform != "watchOS"
let toolkits: [Target.Dependency] = (hasUIKit ? ["UIKit"] : []) + (hasAppKit ? ["AppKit"] : [])

let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

/// HALCYON_TRANSPORT_TESTS=1 adds the tests of the transport. Foundation for Linux sometimes loses the cancellation of a
/// task, and a test then waits until its time limit, so they are not part of `make test`.
let transportTests: [Target] =
  Context.environment["HALCYON_TRANSPORT_TESTS"] == "1"
  ? [
    .testTarget(
      name: "HalcyonTransportTests",
      dependencies: ["HalcyonTransport", "HalcyonHTTP", "HalcyonSupport", "TestSupport", "CompressionSupport"],
      resources: [.copy("Certificates")], swiftSettings: swiftSettings + [.define("URLSESSION")])
  ] : []

func module(
  _ name: String, dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = [], resources: [Resource]? = nil
) -> Target {
  .target(name: name, dependencies: dependencies, resources: resources, swiftSettings: swiftSettings + settings)
}

func system(_ name: String, pkgConfig: String) -> Target {
  .systemLibrary(name: name, path: "Sources/Shims/\(name)", pkgConfig: pkgConfig)
}

func shim(_ name: String, over library: String? = nil) -> Target {
  .target(name: name, dependencies: library.map { [.byName(name: $0)] } ?? [], path: "Sources/Shims/\(name)")
}

let package = Package(
  name: "AppleStandIns",
  targets: [
    module("HalcyonSupport", dependencies: ["SystemShim"]),
    module("HalcyonImaging", dependencies: ["HalcyonSupport", "CoreGraphics"]),
    module("HalcyonHTTP", dependencies: ["HalcyonSupport"]),
    module(
      "HalcyonCache",
      dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "CSQLite", "SystemShim"]),
    module("HalcyonPipeline", dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonCache"]),
    module("HalcyonViews", dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonPipeline"]),
    module(
      "Halcyon",
      dependencies: [
        "HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonCache", "HalcyonPipeline", "HalcyonCodecs",
        "HalcyonTransport",
      ],
      settings: [.define("URLSESSION")]),
    module(
      "HalcyonCodecs",
      dependencies: ["HalcyonSupport", "HalcyonImaging", "CoreGraphics", "ImageIO", "CZlib", "SystemShim"],
      settings: [.define("IMAGEIO")]),
    module("CoreGraphics"),
    module("ImageIO", dependencies: ["CoreGraphics", "HalcyonImaging", "LinuxCodecs"]),
    module(
      "LinuxCodecs",
      dependencies: [
        "HalcyonSupport", "HalcyonImaging", "CLCMS", "CSPNG", "CWebP", "CZimg", "CZlib", "JPEGShim", "SystemShim",
        "TIFFShim", "CAVIF", "CDE265", "CHEIF", "CJXL",
      ],
      settings: [.define("AVIF"), .define("HEIF"), .define("JXL")]),
    module("ObjectiveC"),
    module("QuartzCore", dependencies: ["CoreGraphics", "ObjectiveC"]),
    module("SwiftUI", dependencies: ["CoreGraphics"] + toolkits),
    module(
      "HalcyonApple",
      dependencies: [
        "Halcyon", "HalcyonViews", "HalcyonCodecs", "ObjectiveC", "CoreGraphics", "QuartzCore", "SwiftUI",
      ] + toolkits),
    module("AppleProgram", dependencies: ["HalcyonApple", "SwiftUI"] + toolkits),
    module(
      "HalcyonTransport", dependencies: ["HalcyonSupport", "HalcyonHTTP", "CZlib"],
      settings: [.define("URLSESSION")]),
    module(
      "HalcyonTesting",
      dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonCache", "HalcyonPipeline"]),
    module("TestSupport", resources: [.copy("Photos")]),
    .testTarget(
      name: "HalcyonCodecsTests", dependencies: ["HalcyonCodecs", "HalcyonImaging", "HalcyonSupport", "TestSupport"],
      resources: [.copy("Fixtures")],
      swiftSettings: swiftSettings + [.define("IMAGEIO"), .define("AVIF"), .define("HEIF"), .define("JXL")]),
    module("CompressionSupport", dependencies: ["CZlib"]),
    .testTarget(
      name: "HalcyonAppleTests",
      dependencies: [
        "HalcyonApple", "Halcyon", "HalcyonViews", "HalcyonImaging", "HalcyonCodecs", "HalcyonTesting", "TestSupport",
        "QuartzCore", "SwiftUI",
      ] + toolkits,
      // Otherwise Swift Testing looks for modules that connect it with Apple's.
      swiftSettings: swiftSettings + [.unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"])]),
    system("CSQLite", pkgConfig: "sqlite3"),
    system("CZlib", pkgConfig: "zlib"),
    system("CJPEG", pkgConfig: "libjpeg"),
    system("CSPNG", pkgConfig: "spng"),
    system("CZimg", pkgConfig: "zimg"),
    system("CWebP", pkgConfig: "libwebpdemux"),
    system("CTIFF", pkgConfig: "libtiff-4"),
    system("CLCMS", pkgConfig: "lcms2"),
    system("CAVIF", pkgConfig: "libavif"),
    system("CDE265", pkgConfig: "libde265"),
    system("CHEIF", pkgConfig: "libheif"),
    system("CJXL", pkgConfig: "libjxl"),
    shim("JPEGShim", over: "CJPEG"),
    shim("TIFFShim", over: "CTIFF"),
    shim("SystemShim"),
  ] + transportTests
    + (hasUIKit
      ? [
        module("UIKit", dependencies: ["CoreGraphics", "QuartzCore", "ObjectiveC"]),
        .executableTarget(
          name: "PhoneGallery", dependencies: ["Halcyon", "HalcyonApple", "HalcyonImaging", "SwiftUI", "UIKit"],
          swiftSettings: swiftSettings),
      ] : [])
    + (hasAppKit ? [module("AppKit", dependencies: ["CoreGraphics", "QuartzCore", "ObjectiveC"])] : []),
  swiftLanguageModes: [.v6]
)
