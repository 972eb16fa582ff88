import HalcyonImaging

/// Gives the rows of an image in planes, from top to bottom, once.
protocol PlaneSource: AnyObject {
  var format: PlaneFormat { get }

  /// The most rows that one ``readRows(at:into:)`` writes.
  var rowsPerRead: Int { get }

  /// Writes the next rows, the first of which is `row`, and returns how many.
  ///
  /// A plane with half the rows gets half of them; rows past the end of the image may be written too.
  func readRows(at row: Int, into planes: borrowing PlaneBuffer) throws(ImageDecodingError) -> Int

  /// Called after the last row: checks that the file is whole.
  func finish() throws(ImageDecodingError)
}
