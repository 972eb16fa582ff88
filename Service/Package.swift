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

let testSupport: [Target.Dependency] = [
  .product(name: "HalcyonTestSupport", package: "Halcyon"), .product(name: "HalcyonTestTraits", package: "Halcyon"),
]

let package = Package(
  name: "HalcyonService",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "halcyon-serve", targets: ["halcyon-serve"]),
    .library(name: "HalcyonService", targets: ["HalcyonService"]),
    // Also for the example `Examples/HTTPProxy`.
    .library(name: "HTTPRanges", targets: ["HTTPRanges"]),
  ],
  dependencies: [
    .package(
      name: "Halcyon", path: "..", traits: isChecked ? [] : ["AVIF", "HEIF", "ISAL", "JXL", "SVG", "Memcached"]),
    .package(name: "HalcyonTools", path: "../Tools"),
    // Without swift-configuration.
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: ["FullFoundation"]),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
  ],
  targets: [
    .executableTarget(
      name: "halcyon-serve",
      dependencies: [
        "HalcyonService", .product(name: "HalcyonImaging", package: "Halcyon"),
        .product(name: "HalcyonCommand", package: "HalcyonTools"), .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "HalcyonService",
      dependencies: [
        "HTTPRanges", .product(name: "Halcyon", package: "Halcyon"),
        .product(name: "HalcyonImaging", package: "Halcyon"),
        .product(name: "HalcyonProcessing", package: "Halcyon"),
        .product(name: "HalcyonCache", package: "Halcyon"), .product(name: "HalcyonBackend", package: "Halcyon"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .target(name: "CHalcyonCrypto", condition: .when(platforms: [.linux])),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOFoundationCompat", package: "swift-nio"),
        .product(name: "HummingbirdCore", package: "hummingbird"), .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOExtras", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
      ],
      // In the code, so that the program needs no folder beside it.
      resources: [.embedInCode("Resources")], swiftSettings: swiftSettings),
    .testTarget(
      name: "HalcyonServiceTests",
      dependencies: [
        "halcyon-serve", "HalcyonService", .product(name: "Halcyon", package: "Halcyon"),
        .product(name: "HalcyonProcessing", package: "Halcyon"), .product(name: "HalcyonTesting", package: "Halcyon"),
        .product(name: "HalcyonImaging", package: "Halcyon"), .product(name: "HalcyonCache", package: "Halcyon"),
        .product(name: "HalcyonBackend", package: "Halcyon"), .product(name: "Logging", package: "swift-log"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOEmbedded", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
      ] + testSupport,
      swiftSettings: swiftSettings),
    .systemLibrary(name: "CHalcyonCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    // The ranges of RFC 9110.
    .target(name: "HTTPRanges", swiftSettings: swiftSettings),
    .testTarget(name: "HTTPRangesTests", dependencies: ["HTTPRanges"] + testSupport, swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6]
)
