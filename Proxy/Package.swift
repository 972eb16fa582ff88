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
  name: "HalcyonProxy",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "halcyon-http-proxy", targets: ["halcyon-http-proxy"])],
  dependencies: [
    .package(name: "Halcyon", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
  ],
  targets: [
    .executableTarget(
      name: "halcyon-http-proxy",
      dependencies: [
        .product(name: "Halcyon", package: "Halcyon"), .product(name: "HalcyonCache", package: "Halcyon"),
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
      path: "Sources/HTTPProxy", swiftSettings: swiftSettings),
    // A symbolic link to the library's own test support: a web server.
    .target(
      name: "TestSupport", path: "Tests/Support", resources: [.copy("Photos")], swiftSettings: swiftSettings),
    .testTarget(
      name: "HTTPProxyTests",
      dependencies: [
        "halcyon-http-proxy", "TestSupport", .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6]
)
