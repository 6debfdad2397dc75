/** An agent as a manifest describes it (S10). */
import { readFile } from 'node:fs/promises';
import { messageOf, PithError } from '../errors';
import { createDiskFiles } from '../files/disk-files';
import { createLogSink } from '../kernel/log-sink';
import type { LogSink } from '../kernel/logger';
import { defaultService } from '../kernel/services';
import { modelFromSettings } from '../llm/model-from-settings';
import type { LoadedManifest } from '../manifest';
import { createJsonlStore } from '../session/jsonl-store';
import { createMemoryStore } from '../session/memory-store';
import type { SessionStore } from '../session/store';
import type { AgentOptions } from './agent';
import { COMPACT_MODEL } from './compaction';
import { transportOf } from './transport';

/**
 * The options of an agent that a loaded manifest describes: plugins and their configuration, model, system prompt, root,
 * store, log and bus; a bus to other processes is opened when the agent starts, and closed with it. Change what you like before you hand them to {@link createAgent}. Throws `PITH_INPUT_UNREADABLE` where the file
 * of the system prompt cannot be read, `PITH_MANIFEST_INVALID` for a model that contradicts itself.
 */
export async function agentFromManifest(manifest: LoadedManifest): Promise<AgentOptions> {
  const { plugins, faults, config, core } = manifest;
  const { root, systemPrompt, systemPromptFile } = core.agent;
  const { model, 'compaction.model': compactModel } = core;
  const transport = transportOf(manifest);
  return {
    plugins,
    faults,
    config,
    onError: core.plugins.onError,
    root,
    files: createDiskFiles({ root }),
    system: systemPromptFile === undefined ? systemPrompt : await readPrompt(systemPromptFile),
    model: model && modelFromSettings(model, { root }),
    store: storeOf(manifest),
    log: logSinkOf(manifest),
    bus: transport.bus,
    defaults: [
      ...transport.defaults,
      ...(compactModel === undefined
        ? []
        : [defaultService(COMPACT_MODEL, () => modelFromSettings(compactModel, { root }))]),
    ],
  };
}

/** Where the sessions of a manifest are kept (S5.5); nothing on disk is touched yet. */
export function storeOf({ core }: Pick<LoadedManifest, 'core'>): SessionStore {
  return core.session.store === 'memory' ? createMemoryStore() : createJsonlStore({ dir: core.session.dir });
}

/** Where the log lines of a manifest go. */
export function logSinkOf({ core: { log } }: Pick<LoadedManifest, 'core'>): LogSink {
  return createLogSink({ level: log.level, ...(log.format !== undefined && { format: log.format }) });
}

async function readPrompt(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new PithError(
      'PITH_INPUT_UNREADABLE',
      `The system prompt cannot be read from ${path}: ${messageOf(cause)}. Correct system_prompt_file.`,
      { cause },
    );
  }
}
