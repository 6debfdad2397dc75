// The parts of the built package that the benchmark of continuity works with.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const built = (path) => require(`../../../dist/${path}`);

export const { createKernel, defaultService, CONTEXT, COMPACTION, FILE_SOURCE, createSessionFiles, createTiktoken } =
  built('core/index.js');
export const { fileCalls } = built('core/files/tool-paths.js');
export const { readSessions, readSource, createImportedSession } = built('core/formats/index.js');
export const { loadManifest } = built('core/manifest/index.js');
export const { agentFromManifest } = built('core/agent/manifest-agent.js');
export const { stockPlugins } = built('plugins/index.js');
