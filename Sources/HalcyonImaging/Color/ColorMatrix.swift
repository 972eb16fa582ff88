/// A conversion of linear light between two RGB colour spaces, which maps white to white.
package struct ColorMatrix: Sendable {
  /// The shares of red, green and blue in each channel of the result.
  package let red: SIMD3<Float>
  package let green: SIMD3<Float>
  package let blue: SIMD3<Float>

  /// - Precondition: Both chromaticities are valid, and have white points of the same colour.
  package init(from source: Chromaticities, to target: Chromaticities) {
    let (matrix, inverse) = (source.matrixToXYZ, target.matrixToXYZ.inverse)
    let columns = [inverse * matrix.first, inverse * matrix.second, inverse * matrix.third].map { SIMD3<Float>($0) }
    red = SIMD3(columns.map(\.x))
    green = SIMD3(columns.map(\.y))
    blue = SIMD3(columns.map(\.z))
  }
}

extension Chromaticities {
  /// The luminance of each primary; their sum is 1.
  package var luminances: SIMD3<Float> {
    let matrix = matrixToXYZ
    return SIMD3(Float(matrix.first.y), Float(matrix.second.y), Float(matrix.third.y))
  }

  /// The colours of the primaries as CIE XYZ, in the columns.
  fileprivate var matrixToXYZ: Matrix3 {
    let matrix = Matrix3(first: red.xyz, second: green.xyz, third: blue.xyz)
    let scale = matrix.inverse * white.xyz
    return Matrix3(first: matrix.first * scale.x, second: matrix.second * scale.y, third: matrix.third * scale.z)
  }
}

extension Chromaticities.Point {
  /// At luminance 1.
  fileprivate var xyz: SIMD3<Double> { SIMD3(x / y, 1, (1 - x - y) / y) }
}

/// A matrix by its columns.
private struct Matrix3 {
  var first: SIMD3<Double>
  var second: SIMD3<Double>
  var third: SIMD3<Double>

  static func * (matrix: Matrix3, vector: SIMD3<Double>) -> SIMD3<Double> {
    matrix.first * vector.x + matrix.second * vector.y + matrix.third * vector.z
  }

  var inverse: Matrix3 {
    let rows = (cross(second, third), cross(third, first), cross(first, second))
    let determinant = (first * rows.0).sum()
    func column(_ index: Int) -> SIMD3<Double> { SIMD3(rows.0[index], rows.1[index], rows.2[index]) / determinant }
    return Matrix3(first: column(0), second: column(1), third: column(2))
  }

  private func cross(_ left: SIMD3<Double>, _ right: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(
      left.y * right.z - left.z * right.y, left.z * right.x - left.x * right.z, left.x * right.y - left.y * right.x)
  }
}
