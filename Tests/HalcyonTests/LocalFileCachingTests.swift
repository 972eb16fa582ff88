import Foundation
import Halcyon
import HalcyonCache
import HalcyonCodecs
import HalcyonImaging
import HalcyonPipeline
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// What is made of local files is stored, until they are written again.
@Suite(.integrationTest)
struct LocalFileCachingTests {
  enum Job: CaseIterable {
    case encoded, planned, image, prefetch

    /// The width of the result.
    func run(_ request: ImageRequest, in pipeline: ImagePipeline) async throws -> Int? {
      switch self {
      case .encoded:
        return try await width(of: pipeline.encodedData(for: request, as: .jpeg))
      case .planned:
        let plan = Rendition(size: .fit(width: 20, height: 20), encoding: .init(as: .jpeg))
        return try await width(
          of: pipeline.plannedResponse(for: request, planIdentifier: "small") { _ in plan }.data)
      case .image, .prefetch:
        var request = request
        request.storage = .photo
        request.memoryAccess = .disabled
        if self == .image { return try await pipeline.image(for: request).size.width }
        let prefetcher = ImagePrefetcher(pipeline: pipeline, destination: .store)
        if let failed = await prefetcher.start([request]).result.failed.first { throw failed.error }
        return nil
      }
    }

    private func width(of data: Data) async throws -> Int { try await DecodedImage(data: data).size.width }
  }

  private static func sources(of file: URL) -> [ImageSource] {
    [.url(file), .string(file.absoluteString), .url(file, key: "photo/1")]
  }

  @Test(arguments: Job.allCases, 0..<3)
  func `what is made of a file is stored, without the file, until the file is written again`(
    job: Job, source: Int
  ) async throws {
    try await TemporaryDirectory.run { folder in
      try await OptionsFixture.run(serving: Data()) { fixture async throws in
        let file = folder.appending(path: "photo.png")
        let request = ImageRequest(source: Self.sources(of: file)[source], size: .fit(width: 20, height: 20))
        try TestImage.png().write(to: file)
        #expect(try await job.run(request, in: fixture.pipeline) ?? 20 == 20)
        #expect(try await fixture.storedFormats == [.jpeg])
        // Another pipeline on the same store can neither decode PNG nor encode: nothing is made again.
        var configuration = fixture.pipeline.configuration
        (configuration.encoders, configuration.decoders) = ([], [JPEGDecoder()])
        configuration.cache = ImageCache(memory: MemoryCache(), store: fixture.disk)
        let other = ImagePipeline(configuration: configuration)
        #expect(try await job.run(request, in: other) ?? 20 == 20)
        #expect(try await fixture.entries.count == 1)
        try TestImage.png(width: 20, height: 40).write(to: file)
        #expect(try await job.run(request, in: fixture.pipeline) ?? 10 == 10)
        #expect(Set(try await fixture.storedFormats) == [.jpeg])
        #expect(try await (job == .prefetch ? Job.image : job).run(request, in: other) == 10)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["photo.png"])
        try await fixture.pipeline.removeImage(for: request)
        #expect(try await fixture.entries.isEmpty)
        try FileManager.default.removeItem(at: file)
        await #expect(throws: ImageError.self) { try await Job.encoded.run(request, in: fixture.pipeline) }
      }
    }
  }

  @Test func `an image that is the file itself is not stored`() async throws {
    try await TemporaryDirectory.run { folder in
      try await OptionsFixture.run(serving: Data()) { fixture async throws in
        let file = folder.appending(path: "photo.png")
        try TestImage.png().write(to: file)
        var request = ImageRequest(url: file)
        request.storage = .automatic
        _ = try await fixture.pipeline.image(for: request)
        _ = try await fixture.pipeline.data(for: request)
        let result = await ImagePrefetcher(pipeline: fixture.pipeline, destination: .store).start([request]).result
        #expect(result.failed.isEmpty)
        #expect(try await fixture.entries.isEmpty)
      }
    }
  }
}
