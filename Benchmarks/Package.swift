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

/// Set by `make bench-downsample`: libvips has a hundred dependencies that nothing else needs.
let comparesWithVips = Context.environment["HALCYON_PEER"] == "libvips"

let halcyon = Target.Dependency.product(name: "Halcyon", package: "Halcyon")
let halcyonCache = Target.Dependency.product(name: "HalcyonCache", package: "Halcyon")
let halcyonImaging = Target.Dependency.product(name: "HalcyonImaging", package: "Halcyon")

let vipsTargets: [Target] = [
  .executableTarget(
    name: "halcyon-region", dependencies: [halcyon, halcyonImaging, "BenchMetric"], swiftSettings: swiftSettings),
  .executableTarget(
    name: "halcyon-downsample", dependencies: [halcyon, halcyonImaging, "BenchMetric", "PeerShim"],
    swiftSettings: swiftSettings),
  .target(name: "PeerShim", dependencies: ["BenchVips", "BenchJPEG", "BenchWebP"]),
  .systemLibrary(name: "BenchVips", pkgConfig: "vips", providers: [.apt(["libvips-dev"]), .brew(["vips"])]),
  .systemLibrary(
    name: "BenchJPEG", pkgConfig: "libjpeg", providers: [.apt(["libjpeg62-turbo-dev"]), .brew(["jpeg-turbo"])]),
  .systemLibrary(name: "BenchWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"]), .brew(["webp"])]),
]

let package = Package(
  name: "HalcyonBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Halcyon", path: "..", traits: comparesWithVips ? ["AVIF", "HEIF", "ISAL"] : [])
  ],
  targets: [
    .target(name: "BenchMetric", swiftSettings: swiftSettings),
    .executableTarget(
      name: "halcyon-bench",
      dependencies: [
        halcyon, halcyonCache, halcyonImaging, .product(name: "HalcyonTesting", package: "Halcyon"), "BenchMetric",
        "BenchSQLite", "CMalloc",
      ],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "halcyon-cold-loads",
      dependencies: [halcyon, halcyonImaging, .product(name: "HalcyonTesting", package: "Halcyon"), "BenchMetric"],
      swiftSettings: swiftSettings),
    .systemLibrary(
      name: "BenchSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(name: "CMalloc"),
  ] + (comparesWithVips ? vipsTargets : []),
  swiftLanguageModes: [.v6]
)
