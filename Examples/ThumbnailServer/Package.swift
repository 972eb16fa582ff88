// swift-tools-version: 6.3
import PackageDescription

// A package of its own, so that the other examples do not fetch Hummingbird.
let package = Package(
  name: "ThumbnailServer",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Halcyon", path: "../.."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: ["FullFoundation"]),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    .executableTarget(
      name: "ThumbnailServer",
      dependencies: [
        .product(name: "Halcyon", package: "Halcyon"), .product(name: "HalcyonBackend", package: "Halcyon"),
        .product(name: "Hummingbird", package: "hummingbird"), .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "Sources")
  ]
)
