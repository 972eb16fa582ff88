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
  name: "HalcyonBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "Halcyon", path: "..")],
  targets: [
    .executableTarget(
      name: "halcyon-bench", dependencies: [.product(name: "Halcyon", package: "Halcyon"), "BenchSQLite"],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "cache-sim", dependencies: [.product(name: "Halcyon", package: "Halcyon"), "CMalloc"],
      swiftSettings: swiftSettings),
    .systemLibrary(
      name: "BenchSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(name: "CMalloc"),
  ],
  swiftLanguageModes: [.v6]
)
