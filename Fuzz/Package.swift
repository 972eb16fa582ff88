// swift-tools-version: 6.3
import PackageDescription

// Built by `make fuzz`, which adds the flags for libFuzzer and AddressSanitizer to every module.
let package = Package(
  name: "HalcyonFuzz",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Halcyon", path: "..", traits: ["AVIF", "HEIF", "ISAL", "JXL", "SVG"])],
  targets: [
    .executableTarget(
      name: "halcyon-fuzz",
      dependencies: [
        .product(name: "Halcyon", package: "Halcyon"), .product(name: "HalcyonImaging", package: "Halcyon"),
        "LibFuzzer",
      ]),
    .systemLibrary(name: "LibFuzzer"),
  ],
  swiftLanguageModes: [.v6]
)
