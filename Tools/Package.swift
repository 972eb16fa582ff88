// swift-tools-version: 6.3
import PackageDescription

/// `make check` and `make test` set this: warnings are errors, and the library has all traits, as `../Package.swift` says.
let isChecked = Context.environment["HALCYON_CHECKS"] == "1"

let swiftSettings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + (isChecked ? [.treatAllWarnings(as: .error)] : [])

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let halcyon = Target.Dependency.product(name: "Halcyon", package: "Halcyon")
/// The options of image URLs.
let halcyonProcessing = Target.Dependency.product(name: "HalcyonProcessing", package: "Halcyon")
/// The command `halcyon cache`.
let halcyonCache = Target.Dependency.product(name: "HalcyonCache", package: "Halcyon")

// SwiftPM fetches all dependencies of a package, whatever is built: this one has only the command line's.
let package = Package(
  name: "HalcyonTools",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "halcyon", targets: ["halcyon"]), .library(name: "HalcyonCommand", targets: ["HalcyonCommand"]),
  ],
  dependencies: [
    .package(name: "Halcyon", path: "..", traits: isChecked ? [] : ["AVIF", "HEIF", "ISAL", "JXL", "SVG"]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
  ],
  targets: [
    .executableTarget(
      name: "halcyon",
      dependencies: ["HalcyonCommand", argumentParser],
      swiftSettings: swiftSettings),
    .target(
      name: "HalcyonCommand",
      dependencies: [halcyon, halcyonCache, halcyonProcessing, argumentParser, "CHalcyonProcess"],
      swiftSettings: swiftSettings),
    .target(name: "CHalcyonProcess"),
    .testTarget(
      name: "HalcyonCommandTests",
      dependencies: [
        "halcyon", "HalcyonCommand", .product(name: "HalcyonTestSupport", package: "Halcyon"),
        .product(name: "HalcyonTestTraits", package: "Halcyon"),
      ],
      swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6]
)
