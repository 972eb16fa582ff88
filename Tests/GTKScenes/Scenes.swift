#if GTK
/// All scenes by name.
enum Scenes {
  typealias Scene = @MainActor (Stage) async throws -> Void

  @MainActor static let all: [String: Scene] = [
    "loop-runs-tasks": LoopScenes.runsTasks,
    "loop-sleeps": LoopScenes.sleeps,
    "loop-does-not-starve-sources": LoopScenes.doesNotStarveSources,
    "loop-does-not-starve-tasks": LoopScenes.doesNotStarveTasks,
    "shutdown-writes-accesses": LifeCycleScenes.writesAccesses,
    "shutdown-once": LifeCycleScenes.once,
    "shutdown-of-view-caches": LifeCycleScenes.ofViewCaches,
    "texture-shares-pixels": TextureScenes.sharesPixels,
    "texture-frees-pixels": TextureScenes.freesPixels,
    "texture-is-shared": TextureScenes.isShared,
    "view-placeholder": ViewScenes.placeholder,
    "view-image": ViewScenes.image,
    "view-failure": ViewScenes.failure,
    "view-cross-fade": ViewScenes.crossFade,
    "view-memory-hit": ViewScenes.memoryHit,
    "view-size": ViewScenes.size,
    "view-growth": ViewScenes.growth,
    "view-spinner": ViewScenes.spinner,
    "view-progress": ViewScenes.progress,
    "view-shared-load": ViewScenes.sharedLoad,
    "view-icon": ViewScenes.icon,
    "view-gtk-image": ViewScenes.gtkImage,
    "view-widgets": ViewScenes.widgets,
    "view-nil-url": ViewScenes.nilURL,
    "view-destroyed": LifetimeScenes.destroyed,
    "view-freed": LifetimeScenes.freed,
    "view-hidden": LifetimeScenes.hidden,
    "view-previews": LoadingScenes.previews,
    "view-click": LoadingScenes.click,
    "view-transition-group": LoadingScenes.transitionGroup,
    "view-double-scale": LoadingScenes.doubleScale,
    "scroll-viewport": ScrollScenes.viewport,
    "scroll-only-while-visible": ScrollScenes.onlyWhileVisible,
    "scroll-destroyed": ScrollScenes.destroyed,
    "view-reuse": ReuseScene.play,
    "view-loads": LoadsScene.play,
    "animation-timing": AnimationScenes.timing,
    "animation-hidden": AnimationScenes.hidden,
    "animation-shared": AnimationScenes.shared,
    "animation-loop-count": AnimationScenes.loopCount,
  ]
}
#endif
