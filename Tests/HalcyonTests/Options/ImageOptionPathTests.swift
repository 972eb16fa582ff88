import Foundation
import Halcyon
import HalcyonImaging
import HalcyonSupport
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Options of decoding, processing and delivery, on every path.
@Suite(.integrationTest)
struct ImageOptionPathTests {
  /// The image that the path has delivered, or left in memory.
  private func image(_ path: LoadPath, _ request: ImageRequest, _ fixture: OptionsFixture) async throws -> DecodedImage
  {
    let result = try await path.load(request, with: fixture.pipeline)
    if path.encodes { return try #require(result.decodedImage) }
    if path != .prefetchToMemory { return try #require(result.image) }
    return try #require(fixture.pipeline[cached: request])
  }

  @Test(arguments: LoadPath.affected(by: .size))
  func `an image is decoded at the size of its request on every path`(path: LoadPath) async throws {
    try await OptionsFixture.run(serving: path.served) { fixture async throws in
      for width in [40, 10] {
        var request = path.request(fixture)
        request.size = .fit(width: width, height: width)
        let image = try await image(path, request, fixture)
        #expect(image.size.width == width)
        let frame = try await image.animation?.frame(at: 1)
        #expect(frame?.bitmap.size.width == (path == .animation ? width : nil))
      }
      #expect(fixture.transport.requests.count == 1)
    }
  }

  @Test(arguments: LoadPath.affected(by: .region))
  func `only the region of a request is decoded on every path`(path: LoadPath) async throws {
    try await OptionsFixture.run(serving: path.served) { fixture async throws in
      for width in [16, 10] {
        var request = path.request(fixture)
        request.region = PixelArea(left: 4, top: 2, width: width, height: 8)
        let image = try await image(path, request, fixture)
        #expect(image.size == PixelSize(width: width, height: 8))
        let frame = try await image.animation?.frame(at: 1)
        #expect(frame?.bitmap.size == (path == .animation ? image.size : nil))
      }
      #expect(fixture.transport.requests.count == 1)
    }
  }

  @Test(arguments: LoadPath.affected(by: .processors))
  func `processors are applied on every path`(path: LoadPath) async throws {
    try await OptionsFixture.run(serving: path.served) { fixture async throws in
      var request = path.request(fixture)
      request.processors = [.invert]
      for _ in 0..<2 {
        let image = try await image(path, request, fixture)
        #expect(image.bitmap[0, 0].red == (path == .animation ? 245 : 55))
        #expect(image.animation == nil)
        await fixture.pipeline.cache.flush()
        fixture.memory.removeAll()
      }
      #expect(fixture.transport.requests.count == 1)
    }
  }

  @Test(
    arguments: LoadPath.affected(by: .animation), OptionsLevel.allCases)
  func `animations load as the options say on every path`(path: LoadPath, level: OptionsLevel) async throws {
    let served = try LoadPath.animation.served
    func load(
      processors: [any ImageProcessor] = [], _ change: (inout RequestOptions) -> Void
    ) async throws -> DecodedImage {
      let options = level.options(change)
      var loaded: DecodedImage?
      try await OptionsFixture.run(serving: served, options: options.pipeline) { fixture async throws in
        var request = path.request(fixture) { $0 = options.request }
        request.processors = processors
        for _ in 0..<2 {
          loaded = try await image(path, request, fixture)
          await fixture.pipeline.cache.flush()
          fixture.memory.removeAll()
        }
      }
      return try #require(loaded)
    }
    #expect(try await load { $0.animation = .firstFrame }.animation == nil)
    let processed = try #require(
      try await load(processors: [.invert]) { $0.animation = .frames(processed: true) }.animation)
    #expect(try await processed.frame(at: 2).bitmap[0, 0].red == 225)
    let preloaded = try await load { $0.animation = .frames(preloaded: true) }
    let frames = try #require(preloaded.animation).decodedFrames
    let isPreloaded = (0..<4).map { frames.cachedFrame(at: $0) != nil }
    if path != .prefetchToMemory { #expect(isPreloaded == [true, true, true, true]) }
    withExtendedLifetime(preloaded) {}
  }

  @Test(arguments: LoadPath.affected(by: .colorSpace), OptionsLevel.allCases)
  func `an image has the colour space of its request on every path`(path: LoadPath, level: OptionsLevel) async throws {
    let options = level.options { $0.colorSpace = .displayP3 }
    try await OptionsFixture.run(serving: path.served, options: options.pipeline) { fixture async throws in
      let request = path.request(fixture) { $0 = options.request }
      for _ in 0..<2 {
        let result = try await path.load(request, with: fixture.pipeline)
        let encoded = try path.encodes ? result.data.map { try DecodedImage(data: $0, colorSpace: .source) } : nil
        let image = try #require(encoded ?? result.image ?? fixture.pipeline[cached: request])
        #expect(image.bitmap.colorSpace == .displayP3)
        if let frame = try await image.animation?.frame(at: 1) { #expect(frame.bitmap.colorSpace == .displayP3) }
        await fixture.pipeline.cache.flush()
        fixture.memory.removeAll()
      }
      let plain = path.request(fixture) { $0.colorSpace = .sRGB }
      if !path.encodes, path != .prefetchToMemory {
        #expect(try await path.load(plain, with: fixture.pipeline).image?.bitmap.colorSpace == .sRGB)
      }
      #expect(fixture.transport.requests.count == 1)
    }
  }

  @Test(arguments: LoadPath.affected(by: .originalPixelLimit), OptionsLevel.allCases)
  func `a large original is decoded at the largest size within its limit on every path`(
    path: LoadPath, level: OptionsLevel
  ) async throws {
    let options = level.options { $0.originalPixelLimit = 800 }
    try await OptionsFixture.run(serving: path.served, options: options.pipeline) { fixture async throws in
      var request = path.request(fixture) { $0 = options.request }
      request.size = .original
      let fitting = try await image(path, request, fixture)
      #expect(fitting.size == PixelSize(width: 40, height: 20))
      let frame = try await fitting.animation?.frame(at: 1)
      #expect(frame.map { $0.bitmap.size == fitting.size } ?? true)
      // A request with a size, and one within its limit, are decoded as without it.
      for (size, limit) in [(TargetSize.fit(width: 60), 800), (.original, 1_000_000)] {
        (request.size, request.originalPixelLimit) = (size, limit)
        #expect(try await image(path, request, fixture).size.width == (size == .original ? 80 : 60))
      }
    }
  }

  @Test func `a view shows a whole picture over the limit of pixels smaller, other loads fail`() async throws {
    let size = PixelSize(width: 80, height: 40)
    let bitmap = try Bitmap(size: size, isOpaque: true) { bytes in
      bytes.initializeMemory(as: UInt8.self, repeating: 200)
    }
    let photo = try await DecodedImage(bitmap: bitmap).encoded(as: .jpeg)
    let transport = ScriptedTransport { _ in .response(body: photo) }
    let pipeline = ImagePipeline {
      ($0.transport, $0.cache, $0.failureLifetimes) = (transport, ImageCache(disk: nil), .none)
      $0.limits.pixelCount = 1600
    }
    var request = ImageRequest(url: try #require(URL(string: "http://example.com/a")), size: .original)
    for _ in 0..<2 {
      let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: request) }
      guard case .decoding(.tooManyPixels(size, limit: 1600), _)? = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
    await #expect(throws: ImageError.self) { try await pipeline.encodedData(for: request, as: .jpeg) }
    let shown = try await LoadPath.view.load(request, with: pipeline).image
    #expect(shown?.size == PixelSize(width: 56, height: 28))
    // The limit of the pipeline applies in any case.
    request.originalPixelLimit = 2000
    #expect(try await pipeline.image(for: request).size == PixelSize(width: 56, height: 28))
    let file = try await pipeline.encodedData(for: request, as: .jpeg)
    #expect(try ImageMetadata(of: file).info.pixelSize == PixelSize(width: 56, height: 28))
  }

  @Test(arguments: LoadPath.affected(by: .allowsPartialImage), OptionsLevel.allCases)
  func `a truncated file is a partial image where allowed on every path`(path: LoadPath, level: OptionsLevel)
    async throws
  {
    let photo = try Photos.data("rocket.jpg")
    // Cuts the file within the codes of its last frame.
    let cut = path == .animation ? try path.served.dropLast(20) : photo.prefix(photo.count / 2)
    for allowsPartialImage in [true, false] {
      let options = level.options { $0.allowsPartialImage = allowsPartialImage }
      try await OptionsFixture.run(serving: Data(cut), options: options.pipeline) {
        fixture async throws in
        let request = path.request(fixture) { $0 = options.request }
        if allowsPartialImage {
          let result = try await path.load(request, with: fixture.pipeline)
          #expect(result.image?.isPartial == (path.encodes || path == .prefetchToMemory ? nil : true))
          if path.encodes { #expect(result.decodedImage != nil) }
        } else {
          await #expect(throws: ImageError.self) { try await path.load(request, with: fixture.pipeline) }
        }
        #expect(fixture.memory.count == 0)
        #expect(try await fixture.entries.isEmpty)
      }
    }
  }

  @Test(
    arguments: LoadPath.affected(by: .scale, .imageModifier, .userInfo, .keepsEncodedData),
    OptionsLevel.allCases)
  func `options of delivery apply on every path, whichever cache has the image`(path: LoadPath, level: OptionsLevel)
    async throws
  {
    let served = try path.served
    let callCount = Lock(0)
    let options = level.options { options in
      (options.scale, options.keepsEncodedData) = (2, true)
      options.userInfo = ["row": 7]
      options.imageModifier = { image in
        callCount.withLock { $0 += 1 }
        var image = image
        image.scale += 1
        return image
      }
    }
    try await OptionsFixture.run(serving: served, options: options.pipeline) { fixture async throws in
      let request = path.request(fixture) { $0 = options.request }
      for (number, origin) in [ImageOrigin.network, .memory, .store].enumerated() {
        let response = try #require(try await path.load(request, with: fixture.pipeline).response)
        #expect(response.origin == origin)
        #expect(response.image.scale == 3)
        #expect(callCount.withLock { $0 } == number + 1)
        #expect(response.userInfo["row"] as? Int == 7)
        #expect((response.encodedData == nil) == (origin == .memory))
        if path != .variant, origin != .memory { #expect(response.encodedData == served) }
        await fixture.pipeline.cache.flush()
        if origin == .memory { fixture.memory.removeAll() }
      }
    }
  }

  @Test(arguments: LoadPath.bytesOnly + [.prefetchToMemory] + LoadPath.encoding)
  func `options of delivery change nothing where no image is delivered`(path: LoadPath) async throws {
    let served = try path.served
    try await OptionsFixture.run(serving: served) { fixture async throws in
      var request = path.request(fixture) { options in
        (options.scale, options.animation, options.keepsEncodedData) = (2, .frames(preloaded: true), true)
        (options.previews, options.cachePolicy) = (PreviewPolicy(), .staleFirst)
        options.userInfo = ["row": 7]
        options.imageModifier = { image in
          Issue.record("called without a delivery")
          return image
        }
      }
      if path == .prefetchToMemory {
        _ = try await path.load(request, with: fixture.pipeline)
        #expect(fixture.pipeline[cached: fixture.request()]?.scale == 1)
        return
      }
      if path.encodes {
        // The encoded image has the first frame, in the format of the call, and is not in memory.
        (request.storage, request.memoryExpiration) = (.photo, .never)
        (request.animation, request.processors) = (.frames(processed: true), [.invert])
        #expect(try await path.load(request, with: fixture.pipeline).decodedImage?.size.width == 20)
        #expect(fixture.memory.count == 0)
        return
      }
      (request.size, request.processors) = (.fit(width: 4, height: 4), [.invert])
      (request.memoryExpiration, request.animation) = (.never, .firstFrame)
      request.options.allowsPartialImage = true
      let result = try await path.load(request, with: fixture.pipeline)
      if let data = result.data { #expect(data == served) }
      if let info = result.info { #expect(info.pixelSize == PixelSize(width: 80, height: 40)) }
      await fixture.pipeline.cache.flush()
      #expect(try await fixture.disk.entry(for: fixture.pipeline.cacheKey(for: fixture.request()))?.body == served)
      #expect(fixture.memory.count == 0)
    }
  }

  @Test(arguments: LoadPath.tasks)
  func `a task shows a stale image first, whatever the image`(kind: LoadPath) async throws {
    try await OptionsFixture.run(serving: kind.served, headers: ["Cache-Control": "max-age=10", "ETag": "\"1\""]) {
      fixture async throws in
      let request = kind.request(fixture) { $0.cachePolicy = .staleFirst }
      for _ in 0..<2 {
        _ = try await kind.load(request, with: fixture.pipeline)
        await fixture.pipeline.cache.flush()
        fixture.memory.removeAll()
        fixture.clock.advance(by: .seconds(60))
      }
      let previews = EventLog<PixelSize>()
      let image = try await kind.load(request, with: fixture.pipeline) { previews.record($0.size) }
      #expect(previews.events == [image.size])
      #expect(fixture.transport.requests.count == 3)
    }
  }

  @Test(arguments: LoadPath.affected(by: .storage) + LoadPath.encoding + [.animation], OptionsLevel.allCases)
  func `images are stored in the form of the options on every path`(path: LoadPath, level: OptionsLevel) async throws {
    let served = try path.served
    for keepsOriginal in [true, false] {
      let options = level.options { $0.storage = .encoded(as: .jpeg, keepsOriginal: keepsOriginal) }
      try await OptionsFixture.run(serving: served, options: options.pipeline) { fixture async throws in
        var request = fixture.request { $0 = options.request }
        request.size = .fit(width: 20, height: 20)
        for _ in 0..<2 {
          _ = try await path.load(request, with: fixture.pipeline)
          let formats = try await fixture.storedFormats
          let encoded: ImageFormat? = path.encodes ? .png : .jpeg
          #expect(formats == (path == .animation ? [.gif] : keepsOriginal ? [encoded, .png] : [encoded]))
          fixture.memory.removeAll()
        }
        #expect(fixture.transport.requests.count == 1)
      }
    }
  }

  @Test(arguments: LoadPath.allCases.filter { $0 != .animation }, OptionsLevel.allCases)
  func `the storage policy decides on every path whether the original bytes are stored`(
    path: LoadPath, level: OptionsLevel
  )
    async throws
  {
    let served = try path.served
    let encodedCount = path.encodes || LoadPath.affected(by: .storage).contains(path) ? 1 : 0
    for keepsOriginal in [true, false] {
      let options = level.options { $0.storage = .encoded(as: .jpeg, keepsOriginal: keepsOriginal) }
      try await OptionsFixture.run(serving: served, options: options.pipeline) { fixture async throws in
        var request = fixture.request { $0 = options.request }
        request.size = .fit(width: 20, height: 20)
        _ = try await path.load(request, with: fixture.pipeline)
        #expect(try await fixture.entries.count == encodedCount + (keepsOriginal ? 1 : 0))
        let original = try await fixture.disk.entry(for: fixture.pipeline.cacheKey(for: fixture.request()))
        #expect(original?.body == (keepsOriginal ? served : nil))
      }
    }
  }

  @Test(arguments: LoadPath.affected(by: .decoder), OptionsLevel.allCases)
  func `the decoder of the options reads images and their properties on every path`(
    path: LoadPath, level: OptionsLevel
  ) async throws {
    let (probes, served) = (EventLog<ImageFormat>(), try path.served)
    let format = try #require(ImageFormat(sniffing: served))
    let base = try #require(StandardCodecs.decoders.first { $0.formats.contains(format) })
    let options = level.options { $0.decoder = MarkingDecoder(base: base, probes: probes) }
    try await OptionsFixture.run(serving: served, options: options.pipeline) { fixture async throws in
      let request = path.request(fixture) { $0 = options.request }
      switch path {
      case .info, .metadata:
        #expect(try await path.load(request, with: fixture.pipeline).info?.bitDepth == MarkingDecoder.bitDepth)
      case .data, .prefetchToStore:
        _ = try await path.load(request, with: fixture.pipeline)
        #expect(probes.events.first == format, "the bytes are not checked by the decoder")
      default:
        #expect(try await image(path, request, fixture).bitmap[0, 0].red == (path == .animation ? 245 : 55))
      }
    }
  }
}

/// Inverts the images of another decoder, and reports an unusual number of bits.
private struct MarkingDecoder: ImageDecoder {
  static let bitDepth = 16
  let base: any ImageDecoder
  let probes: EventLog<ImageFormat>
  var identifier: String { "marking" }
  var formats: Set<ImageFormat> { base.formats }

  func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    guard var info = try base.probe(bytes, isComplete: isComplete) else { return nil }
    probes.record(info.format)
    info.bitDepth = Self.bitDepth
    return info
  }

  func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    var image = try base.decode(bytes, options: options)
    let processor: any ImageProcessor = .invert
    image.bitmap = try processor.process(image.bitmap)
    return image
  }
}
