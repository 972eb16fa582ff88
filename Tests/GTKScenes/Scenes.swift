#if GTK
/// Everything that is played, by name.
enum Scenes {
  typealias Scene = @MainActor (Stage) async throws -> Void

  @MainActor static let all: [String: Scene] = [
    "loop-runs-tasks": LoopScenes.runsTasks,
    "loop-sleeps": LoopScenes.sleeps,
    "loop-lets-sources-through": LoopScenes.letsSourcesThrough,
    "loop-lets-tasks-through": LoopScenes.letsTasksThrough,
    "shutdown-writes-down-reads": LifeCycleScenes.writesDownReads,
    "shutdown-once": LifeCycleScenes.once,
    "shutdown-of-views": LifeCycleScenes.ofViews,
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
    "view-two-of-one-address": ViewScenes.twoViews,
    "view-icon": ViewScenes.icon,
    "view-gtk-image": ViewScenes.gtkImage,
    "view-widgets": ViewScenes.widgets,
    "view-nil": ViewScenes.nilAddress,
    "view-gone": LifetimeScenes.gone,
    "view-freed": LifetimeScenes.freed,
    "view-hidden": LifetimeScenes.hidden,
    "view-previews": LoadingScenes.previews,
    "view-tap": LoadingScenes.tap,
    "view-together": LoadingScenes.together,
    "view-double-scale": LoadingScenes.doubleScale,
    "scroll-sight": ScrollScenes.sight,
    "scroll-only-while-visible": ScrollScenes.onlyWhileVisible,
    "scroll-gone": ScrollScenes.gone,
    "view-reuse": ReuseScene.play,
    "view-loads": LoadsScene.play,
    "animation-times": AnimationScenes.times,
    "animation-hidden": AnimationScenes.hidden,
    "animation-shared": AnimationScenes.shared,
    "animation-ends": AnimationScenes.ends,
  ]
}
#endif
