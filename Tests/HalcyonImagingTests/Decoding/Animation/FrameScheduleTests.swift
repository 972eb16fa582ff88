import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import struct HalcyonImaging.FrameSchedule

@Suite(.unitTest)
struct FrameScheduleTests {
  @Test func `the current frame is decoded before those after it, also without a waiter`() throws {
    var schedule = FrameSchedule(frameCount: 9, byteLimit: 36)
    _ = schedule.finish(0, .success(try frame()))
    #expect(schedule.startsWork() && schedule.next() == 1)
    schedule.cache.current = 3
    _ = schedule.finish(1, .success(try frame()))
    for index in [3, 4, 5, 6] {
      #expect(schedule.next() == index)
      _ = schedule.finish(index, .success(try frame()))
    }
    #expect(schedule.next() == nil)
  }

  private func frame() throws -> AnimationFrame {
    let bitmap = try Bitmap(size: PixelSize(width: 1, height: 1), isOpaque: true) { _ in }
    return AnimationFrame(bitmap: bitmap, duration: .milliseconds(40))
  }
}
