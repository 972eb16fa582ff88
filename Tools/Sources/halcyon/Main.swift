import ArgumentParser
import HalcyonCommand

@main
enum Main {
  static func main() async {
    await HalcyonCommand.main()
  }
}
