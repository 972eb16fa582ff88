// swift-tools-version: 6.3
import PackageDescription

let warningsAreErrors = Context.environment["HALCYON_WARNINGS_AS_ERRORS"] == "1"

let swiftSettings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + (warningsAreErrors ? [.treatAllWarnings(as: .error)] : [])

let halcyon = Target.Dependency.product(name: "Halcyon", package: "Halcyon")
let halcyonTesting = Target.Dependency.product(name: "HalcyonTesting", package: "Halcyon")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")

// A package of its own, so that users of the library alone fetch no other package.
let package = Package(
  name: "HalcyonBridges",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "HalcyonLogging", targets: ["HalcyonLogging"]),
    .library(name: "HalcyonMetrics", targets: ["HalcyonMetrics"]),
  ],
  dependencies: [
    .package(name: "Halcyon", path: ".."),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
  ],
  targets: [
    .target(name: "HalcyonLogging", dependencies: [halcyon, logging], swiftSettings: swiftSettings),
    .target(name: "HalcyonMetrics", dependencies: [halcyon, metrics], swiftSettings: swiftSettings),
    .testTarget(
      name: "HalcyonLoggingTests", dependencies: ["HalcyonLogging", halcyon, halcyonTesting, logging],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "HalcyonMetricsTests",
      dependencies: [
        "HalcyonMetrics", halcyon, halcyonTesting, metrics,
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ],
      swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6]
)
