import HalcyonSupport

/// Runs `body`; when it takes longer than `limit`, cancels it and throws ``ImageError/timedOut(_:)``.
func withTimeout<Value: Sendable>(
  _ limit: Duration, time: any TimeSource, _ body: @escaping @Sendable () async throws(ImageError) -> Value
) async throws(ImageError) -> Value {
  let first = await withTaskGroup(of: Result<Value, ImageError>.self) { group in
    group.addTask {
      do throws(ImageError) { return .success(try await body()) } catch { return .failure(error) }
    }
    group.addTask {
      do { try await time.sleep(for: limit.clamped) } catch { return .failure(.cancelled) }
      return .failure(.timedOut(limit))
    }
    defer { group.cancelAll() }
    return await group.next() ?? .failure(.cancelled)
  }
  return try first.get()
}
