// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Photos",
  dependencies: [.package(path: "../halcyon", traits: ["GTK"])],
  targets: [
    .executableTarget(name: "Photos", dependencies: [.product(name: "HalcyonGTK", package: "halcyon")])
  ])
