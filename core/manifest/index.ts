/** `pith/manifest`: reads `pith.toml` into plugins and configuration (S10). */
export { loadManifest } from './load-manifest';
export type { LoadedManifest, LoadManifestOptions } from './load-manifest';
export { findManifest, MANIFEST_NAME } from './discover';
export type { FoundBy, FoundManifest } from './discover';
export { loadPlugins } from './load-plugins';
export type { LoadedPlugin, StockPlugins, UnloadedPlugin } from './load-plugins';
export { reportProblem, reportProblems } from './problem';
export type { ManifestProblem } from './problem';
export { CORE_SECTIONS } from './sections';
export type { CoreSectionName, CoreSections } from './sections';
export type { Setting } from './check-section';
export type { Origin } from './layers';
export { starterManifest } from './starter';
