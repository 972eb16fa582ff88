import Foundation

/// The figures over all files.
struct TimeReport {
  let results: [TimeResult]

  func print() {
    for kind in Set(results.map(\.file.kind)).sorted() {
      let group = results.filter { $0.file.kind == kind }
      ratio(group, name: kind, goal: kind == "jpeg_baseline" ? 0.70 : kind == "jpeg_progressive" ? nil : 0.85)
      for width in Set(group.map(\.width)).sorted() {
        ratio(
          group.filter { $0.width == width }, name: "\(kind)_\(width)px",
          goal: kind == "jpeg_progressive" && width == 200 ? 0.40 : nil)
      }
      Metric(name: "\(kind)_worst_to_libvips", value: group.map(\.ratio).max() ?? 0, unit: "ratio").report()
      let differences = group.compactMap(\.similarityDifference)
      if !differences.isEmpty {
        Metric(
          name: "\(kind)_ssim_minus_libvips", value: differences.reduce(0, +) / Double(differences.count), unit: "SSIM",
          goal: .atLeast(-0.001)
        ).report()
        Metric(name: "\(kind)_ssim_minus_libvips_worst", value: differences.min() ?? 0, unit: "SSIM").report()
      }
    }
    entropy(results, name: "jpeg_200px_to_entropy")
    entropy(results.filter { $0.file.pixelCount >= 8_000_000 }, name: "jpeg_200px_8mp_and_more_to_entropy")
  }

  private func entropy(_ group: [TimeResult], name: String) {
    let ratios = group.compactMap { result in result.entropy.map { result.own / $0 } }
    guard !ratios.isEmpty else { return }
    Metric(name: name, value: geometricMean(ratios), unit: "ratio", goal: .atMost(1.20)).report()
  }

  private func ratio(_ group: [TimeResult], name: String, goal: Double?) {
    Metric(
      name: "\(name)_to_libvips", value: geometricMean(group.map(\.ratio)), unit: "ratio",
      goal: goal.map { .atMost($0) }
    ).report()
  }

  private func geometricMean(_ values: [Double]) -> Double {
    exp(values.map { log($0) }.reduce(0, +) / Double(values.count))
  }
}
