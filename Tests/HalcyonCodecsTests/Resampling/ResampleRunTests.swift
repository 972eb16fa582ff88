#if !IMAGEIO
import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.integrationTest)
struct ResampleRunTests {
  @Test(arguments: [true, false], [(40, 31), (64, 3), (7, 90), (120, 90)])
  func `buffering the whole source gives the same pixels`(_ isOpaque: Bool, _ size: (width: Int, height: Int)) throws {
    let source = try Bitmap.painted(120, 90, isOpaque: isOpaque) { column, row in
      isOpaque ? Color(column, row, 255, 255) : Color(row, 0, column, column + row)
    }
    let geometry = ResizeGeometry(
      window: PixelRectangle(x: 0.25, y: 3, width: 119.5, height: 80),
      outputSize: PixelSize(width: size.width, height: size.height))
    let streamed = try draw(source, geometry, buffersWholeSource: false)
    #expect(try draw(source, geometry, buffersWholeSource: true).largestDifference(to: streamed) == 0)
  }

  @Test func `colours never exceed alpha`() throws {
    let source = try Bitmap.painted(40, 40, isOpaque: false) { column, row in
      column % 7 < 3 ? Color(255, 255, 255, 255) : row % 5 < 2 ? Color(0, 0, 0, 255) : Color(0, 0, 0, 0)
    }
    let geometry = ResizeGeometry(
      window: PixelRectangle(x: 0, y: 0, width: 40, height: 40), outputSize: PixelSize(width: 29, height: 29))
    let result = try draw(source, geometry, buffersWholeSource: false)
    for row in 0..<29 {
      for column in 0..<29 {
        let color = result.color(column, row)
        #expect(color.x <= color.w && color.y <= color.w && color.z <= color.w)
      }
    }
  }

  private func draw(_ source: Bitmap, _ geometry: ResizeGeometry, buffersWholeSource: Bool) throws -> Bitmap {
    try Bitmap(size: geometry.outputSize, isOpaque: source.isOpaque) { output in
      let pixels = try #require(output.bindMemory(to: UInt32.self).baseAddress)
      let planes = RowPlaneSource(BitmapRowSource(source), isCancelled: { false })
      let graph = SharedResampleGraph(try ResampleGraph(source: planes.format, geometry: geometry))
      let run = try ResampleRun(
        source: planes, graph: graph, outputSize: geometry.outputSize, into: pixels,
        buffersWholeSource: buffersWholeSource)
      try run.run()
      try run.drain()
    }
  }
}
#endif
