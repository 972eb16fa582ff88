// swift-tools-version: 6.3
import PackageDescription

// Builds the library on Linux as on Apple's platforms, over modules with the names and declarations of Apple's.
// CoreGraphics and ImageIO work: the tests of the codecs run. UIKit, AppKit and SwiftUI are only compiled against. The
// library's sources are symbolic links; LinuxCodecs, over which ImageIO works, is HalcyonCodecs as on Linux.

let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

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
      dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "CSQLite", "CZlib", "SystemShim"]),
    module("HalcyonPipeline", dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonCache"]),
    module("HalcyonViews", dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonPipeline"]),
    module(
      "Halcyon", dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonCache", "HalcyonPipeline"]),
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
        "TIFFShim",
      ]),
    module("ObjectiveC"),
    module("UIKit", dependencies: ["CoreGraphics"]),
    module("AppKit", dependencies: ["CoreGraphics"]),
    module("SwiftUI", dependencies: ["UIKit", "AppKit"]),
    module(
      "HalcyonApple",
      dependencies: [
        "Halcyon", "HalcyonViews", "HalcyonCodecs", "ObjectiveC", "CoreGraphics", "UIKit", "AppKit", "SwiftUI",
      ]),
    module("AppleProgram", dependencies: ["HalcyonApple"]),
    module("HalcyonTransport", dependencies: ["HalcyonSupport", "HalcyonHTTP"], settings: [.define("URLSESSION")]),
    module("TestSupport", resources: [.copy("Photos")]),
    .testTarget(
      name: "HalcyonCodecsTests", dependencies: ["HalcyonCodecs", "HalcyonImaging", "HalcyonSupport", "TestSupport"],
      resources: [.copy("Fixtures")], swiftSettings: swiftSettings + [.define("IMAGEIO")]),
    system("CSQLite", pkgConfig: "sqlite3"),
    system("CZlib", pkgConfig: "zlib"),
    system("CJPEG", pkgConfig: "libjpeg"),
    system("CSPNG", pkgConfig: "spng"),
    system("CZimg", pkgConfig: "zimg"),
    system("CWebP", pkgConfig: "libwebpdemux"),
    system("CTIFF", pkgConfig: "libtiff-4"),
    system("CLCMS", pkgConfig: "lcms2"),
    shim("JPEGShim", over: "CJPEG"),
    shim("TIFFShim", over: "CTIFF"),
    shim("SystemShim"),
  ],
  swiftLanguageModes: [.v6]
)
