import HalcyonTestTraits
import Testing

@testable import HalcyonBackend

@Suite(.unitTest)
struct CircuitBreakerTests {
  @Test func `a breaker opens after failures in a row, and closes after a trial`() {
    var breaker = CircuitBreaker(failureLimit: 2, retryInterval: .seconds(1))
    breaker.recordFailure(at: .zero)
    breaker.recordSuccess()
    breaker.recordFailure(at: .zero)
    #expect(breaker.permission(at: .zero) == .granted)
    #expect(!breaker.isOpen)
    breaker.recordFailure(at: .zero)
    #expect(breaker.isOpen)
    #expect(breaker.permission(at: .milliseconds(999)) == .refused)
    breaker.recordSuccess()
    #expect(breaker.isOpen)
    #expect(breaker.permission(at: .seconds(1)) == .trial)
    #expect(breaker.permission(at: .seconds(1)) == .refused)
    breaker.recordFailure(at: .seconds(1))
    #expect(breaker.permission(at: .seconds(2)) == .refused)
    #expect(breaker.permission(at: .seconds(3)) == .trial)
    // The outcome of that trial is never recorded.
    #expect(breaker.permission(at: .seconds(5)) == .trial)
    breaker.recordSuccess()
    #expect(breaker.permission(at: .seconds(5)) == .granted)
    #expect(breaker.openCount == 1)
  }

  @Test func `after a success it opens for the first interval again`() {
    var breaker = CircuitBreaker(failureLimit: 1, retryInterval: .seconds(1))
    breaker.recordFailure(at: .zero)
    for second in [1, 3, 7] {
      #expect(breaker.permission(at: .seconds(second)) == .trial)
      breaker.recordFailure(at: .seconds(second))
    }
    #expect(breaker.permission(at: .seconds(14)) == .refused)
    #expect(breaker.permission(at: .seconds(15)) == .trial)
    breaker.recordSuccess()
    breaker.recordFailure(at: .seconds(20))
    #expect(breaker.permission(at: .seconds(20)) == .refused)
    #expect(breaker.permission(at: .seconds(21)) == .trial)
  }

  @Test func `the interval doubles up to 32 times the first, and a trial that is abandoned is repeated at once`() {
    var breaker = CircuitBreaker(failureLimit: 0, retryInterval: .seconds(1))
    var now = Duration.zero
    breaker.recordFailure(at: now)
    for interval in [1, 2, 4, 8, 16, 32, 32, 32] {
      let end = now + .seconds(interval)
      #expect(breaker.permission(at: end - .milliseconds(1)) == .refused)
      now = end
      #expect(breaker.permission(at: now) == .trial)
      breaker.abandonTrial(at: now)
      #expect(breaker.permission(at: now) == .trial)
      breaker.recordFailure(at: now)
    }
    // There is no trial to abandon.
    breaker.abandonTrial(at: now)
    #expect(breaker.permission(at: now) == .refused)
    #expect(breaker.openCount == 1)
  }
}
