import Foundation
import Halcyon
import HalcyonHTTP
@_spi(Programs) import HalcyonProcessing
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

/// Deployments of imgproxy, each with its environment and with the URLs that its application asks for.
@Suite(.integrationTest)
struct DeploymentTests {
  @Test(arguments: Deployment.all)
  func `a deployment of imgproxy works with the same environment`(deployment: Deployment) async throws {
    try await TemporaryDirectory.run { folder in
      try await ImageServer.run { origin in
        let place = try Deployment.Place(folder: folder, origin: origin)
        let read = try configuration(deployment.environment(place))
        #expect(read.ignoredVariables == deployment.ignoredVariables)
        if let address = deployment.address {
          #expect("\(ListeningAddress(host: read.host, port: read.port))" == address)
        }
        try await RunningService.run {
          $0 = read
          ($0.host, $0.port, $0.cacheDirectory) = ("127.0.0.1", 0, folder.appending(path: "cache"))
          // In the place of the addresses of a container network, which stand for themselves elsewhere.
          $0.addressPolicy.allowed += [AddressRange("127.0.0.0/8")].compactMap(\.self)
        } body: { service, _ async throws in
          for ask in try deployment.asks(place) {
            let answer = try await service.get(ask.path, ask.headers)
            #expect(answer.status == ask.status, "\(ask.path): \(answer.text.prefix(200))")
            if let type = ask.type { #expect(answer.headers["Content-Type"] == type, "\(ask.path)") }
            for (name, value) in ask.fields { #expect(answer.headers[name] == value, "\(ask.path)") }
          }
        }
      }
    }
  }
}

/// The environment of a deployment, and what its application asks for.
struct Deployment: Sendable, CustomTestStringConvertible {
  /// What is around a service: its origin, and a folder.
  struct Place {
    let folder: URL
    let origin: ImageServer
    /// The URL of an image on the web.
    let image: String

    init(folder: URL, origin: ImageServer) throws {
      (self.folder, self.origin) = (folder, origin)
      let headers: HeaderFields = ["Cache-Control": "max-age=60", "Content-Type": "image/png"]
      image = origin.serve("/public/cat.png", .body(try Quadrants.png(), headers: headers)).absoluteString
    }

    /// The scheme, host and port of the origin.
    var base: String { "http://127.0.0.1:\(origin.port)" }
  }

  /// A request, and what its response has.
  struct Ask {
    let path: String
    var headers: HTTPHeaders = [:]
    var status = 200
    var type: String?
    var fields: [(String, String)] = []
  }

  static let key = "943b421c9eb07c830af81030552c86009268de4e532ba2ee2eab8247c6da0881"
  static let salt = "520f986b998545b4785e0defbc4f3c1203f22de2374a3d53cb7a7fe9fea309c5"
  static let webp: HTTPHeaders = ["Accept": "image/avif,image/webp,image/apng,*/*;q=0.8"]

  let name: String
  var ignoredVariables: [String] = []
  /// Where it has to listen; `nil` if that does not matter.
  var address: String?
  let environment: @Sendable (Place) throws -> [String: String]
  let asks: @Sendable (Place) throws -> [Ask]

  var testDescription: String { name }

  /// A path with its signature.
  static func signed(_ path: String, prefix: String = "") throws -> String {
    let pair = URLSigner.KeyPair(
      key: try #require(Data(hexadecimal: key)), salt: try #require(Data(hexadecimal: salt)))
    return "\(prefix)/\(try #require(URLSigner(pairs: [pair]).signature(of: path)))\(path)"
  }

  /// A source in URL-safe Base64.
  static func encoded(_ source: String) -> String { Base64URL.encode(source.utf8) }

  /// A source as a part of a path.
  static func escaped(_ source: String) -> String {
    source.addingPercentEncoding(
      withAllowedCharacters: CharacterSet(charactersIn: "-_.!~*'()").union(.alphanumerics)) ?? ""
  }
}
