// swift-tools-version: 6.3
import PackageDescription

// Compiles HalcyonApple on Linux against stub modules named UIKit, AppKit and SwiftUI. Nothing is ever run. The
// library's sources are symbolic links.

let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

func module(_ name: String, dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: swiftSettings)
}

let package = Package(
  name: "AppleStandIns",
  targets: [
    module("HalcyonSupport", dependencies: ["SystemShim"]),
    module("HalcyonImaging", dependencies: ["HalcyonSupport"]),
    module("HalcyonHTTP", dependencies: ["HalcyonSupport"]),
    module(
      "HalcyonCache",
      dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "CSQLite", "CZlib", "SystemShim"]),
    module("HalcyonPipeline", dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonCache"]),
    module("HalcyonViews", dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonPipeline"]),
    module(
      "Halcyon", dependencies: ["HalcyonSupport", "HalcyonImaging", "HalcyonHTTP", "HalcyonCache", "HalcyonPipeline"]),
    module("CoreGraphics"),
    module("ObjectiveC"),
    module("UIKit", dependencies: ["CoreGraphics"]),
    module("AppKit", dependencies: ["CoreGraphics"]),
    module("SwiftUI", dependencies: ["UIKit", "AppKit"]),
    module(
      "HalcyonApple",
      dependencies: ["Halcyon", "HalcyonViews", "ObjectiveC", "CoreGraphics", "UIKit", "AppKit", "SwiftUI"]),
    module("AppleProgram", dependencies: ["HalcyonApple"]),
    .systemLibrary(name: "CSQLite", path: "Sources/Shims/CSQLite", pkgConfig: "sqlite3"),
    .systemLibrary(name: "CZlib", path: "Sources/Shims/CZlib", pkgConfig: "zlib"),
    .target(name: "SystemShim", path: "Sources/Shims/SystemShim"),
  ],
  swiftLanguageModes: [.v6]
)
