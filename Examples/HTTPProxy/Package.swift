// swift-tools-version: 6.3
import PackageDescription

/// `make check` and `make test` set this: warnings are errors, and the library has all traits, as `../../Package.swift` says.
let isChecked = Context.environment["HALCYON_CHECKS"] == "1"

let swiftSettings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ] + (isChecked ? [.treatAllWarnings(as: .error)] : [])

// A package of its own, so that the other examples do not fetch its server and its client.
let package = Package(
  name: "HTTPProxy",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "halcyon-http-proxy", targets: ["halcyon-http-proxy"])],
  dependencies: [
    .package(name: "Halcyon", path: "../.."),
    .package(name: "HalcyonService", path: "../../Service"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: ["FullFoundation"]),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
  ],
  targets: [
    // The library's HTTP cache before any web server.
    .executableTarget(
      name: "halcyon-http-proxy",
      dependencies: [
        .product(name: "HTTPRanges", package: "HalcyonService"), .product(name: "Halcyon", package: "Halcyon"),
        .product(name: "HalcyonCache", package: "Halcyon"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "HTTPTypes", package: "swift-http-types"), .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      path: "Sources", swiftSettings: swiftSettings),
    .testTarget(
      name: "HTTPProxyTests",
      dependencies: [
        "halcyon-http-proxy", .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "HalcyonTestSupport", package: "Halcyon"),
        .product(name: "HalcyonTestTraits", package: "Halcyon"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      path: "Tests", swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6]
)
