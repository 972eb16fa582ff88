/// Why a trace could not be replayed.
enum SimulationError: Error, CustomStringConvertible {
  case usage(String)
  case unreadable(String)
  case malformed(line: Int)

  var description: String {
    switch self {
    case .usage(let problem):
      """
      \(problem)
      usage: cache-sim --policy adaptive|lru --capacity-percent P --cost encoded|decoded FILE.csv[.gz]
      """
    case .unreadable(let file):
      "\(file) cannot be read. It has to be a CSV file, plain or compressed by gzip."
    case .malformed(let line):
      "Line \(line) is not four numbers: ms,key,encoded_bytes,decoded_bytes."
    }
  }
}
