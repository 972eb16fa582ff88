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

let package = Package(
  name: "HalcyonService",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "halcyon-serve", targets: ["halcyon-serve"]),
    .library(name: "HalcyonService", targets: ["HalcyonService"]),
  ],
  dependencies: [
    .package(name: "Halcyon", path: "..", traits: ["AVIF", "HEIF", "ISAL", "JXL", "SVG", "Memcached"]),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
  ],
  targets: [
    .executableTarget(
      name: "halcyon-serve",
      dependencies: [
        "HalcyonService", .product(name: "HalcyonImaging", package: "Halcyon"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swiftSettings),
    .target(
      name: "HalcyonService",
      dependencies: [
        .product(name: "Halcyon", package: "Halcyon"), .product(name: "HalcyonImaging", package: "Halcyon"),
        .product(name: "HalcyonCache", package: "Halcyon"), .product(name: "HalcyonMemcached", package: "Halcyon"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        .product(name: "HTTPTypes", package: "swift-http-types"), .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Logging", package: "swift-log"), .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"), .product(name: "NIOFoundationCompat", package: "swift-nio"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
      ],
      swiftSettings: swiftSettings),
    // A symbolic link to the library's own test support: a web server and photographs.
    .target(
      name: "TestSupport", path: "Tests/Support", resources: [.copy("Photos")], swiftSettings: swiftSettings),
    .testTarget(
      name: "HalcyonServiceTests",
      dependencies: [
        "halcyon-serve", "HalcyonService", "TestSupport", .product(name: "Halcyon", package: "Halcyon"),
        .product(name: "HalcyonTesting", package: "Halcyon"),
        .product(name: "HalcyonImaging", package: "Halcyon"), .product(name: "HalcyonCache", package: "Halcyon"),
        .product(name: "HalcyonMemcached", package: "Halcyon"), .product(name: "Logging", package: "swift-log"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Crypto", package: "swift-crypto"), .product(name: "NIOCore", package: "swift-nio"),
      ],
      swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6]
)
