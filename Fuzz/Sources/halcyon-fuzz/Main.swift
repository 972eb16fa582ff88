import Foundation
import LibFuzzer

/// Gives every input that libFuzzer makes up to the decoders; the arguments are libFuzzer's.
@main
enum Main {
  static func main() {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(
      LLVMFuzzerRunDriver(&count, &arguments) { start, count in
        guard let start, count > 0 else { return 0 }
        FuzzTarget.shared.run(Data(bytes: start, count: count))
        return 0
      })
  }
}
