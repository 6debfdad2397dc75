/** The kernel of a host: the plugins that keep a conversation inside its window, or what a manifest says (S10). */
import { createKernel } from '../agent/create-kernel';
import { agentFromManifest } from '../agent/manifest-agent';
import type { AgentOptions } from '../agent/agent';
import { createDiskFiles } from '../files/disk-files';
import { FILE_SOURCE } from '../files/file-source';
import type { RawConfig } from '../kernel/config';
import type { Kernel } from '../kernel/kernel';
import type { Plugin } from '../kernel/plugin';
import { defaultService } from '../kernel/services';
import type { DefaultService } from '../kernel/services';
import { createAiSdkClient } from '../llm/ai-sdk-client';
import { LLM } from '../llm/client';
import type { LlmClient } from '../llm/client';
import type { AiSdkModel } from '../llm/language-model';
import { loadManifest } from '../manifest';
import { stockPlugins } from '../../plugins/index';
import { SESSION_STORE } from '../session/store';
import { LIMITS, modelLimits } from '../tokens/model-limits';
import type { HostOptions } from './host-session';

const STOCK = ['tracker', 'prune', 'compaction', 'auto-read-budget', 'guard'] as const;

/** The thresholds of a host that names none (S9.1). */
const THRESHOLDS = { compactThreshold: '75%', compactRequestThreshold: '90%' } as const;

/** A running kernel, and the folder of the sessions' files. */
export interface HostKernel {
  readonly kernel: Kernel;
  readonly root: string | undefined;
}

/** Starts the kernel of a host. Throws what {@link createKernel} and the manifest throw. */
export async function startHostKernel(options: HostOptions): Promise<HostKernel> {
  const told = options.manifest === undefined ? undefined : await fromManifest(options.manifest);
  const root = options.root ?? told?.root;
  const kernel = await createKernel({
    plugins: options.plugins ?? told?.plugins ?? (await stock()),
    config: configOf(told?.config, options.config),
    bus: told?.bus,
    log: options.log ?? told?.log,
    onError: told?.onError,
    defaults: [...ownServices(options, told, root), ...(told?.defaults ?? [])],
  });
  return { kernel, root };
}

async function fromManifest(path: string): Promise<AgentOptions> {
  return agentFromManifest(await loadManifest({ path, stock: stockPlugins, defaultUse: STOCK }));
}

function stock(): Promise<readonly Plugin[]> {
  return Promise.all(STOCK.map((name) => stockPlugins[name]()));
}

/** What a manifest says, key by key under what is given. Without a manifest the thresholds are set. */
function configOf(told: RawConfig | undefined, given: RawConfig = {}): RawConfig {
  const sections: Record<string, unknown> = { ...(told ?? { compaction: thresholdsFor(given['compaction']) }) };
  for (const [name, section] of Object.entries(given))
    sections[name] = isTable(section) && isTable(sections[name]) ? { ...sections[name], ...section } : section;
  return sections;
}

function thresholdsFor(given: unknown): object {
  const names = isTable(given) ? Object.keys(given) : [];
  return names.some((name) => name in THRESHOLDS) ? {} : THRESHOLDS;
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function ownServices(
  options: HostOptions,
  told: AgentOptions | undefined,
  root: string | undefined,
): readonly DefaultService[] {
  const { limits } = options;
  const model = options.model === undefined ? told?.model : clientOf(options.model);
  const store = options.store ?? told?.store;
  const files = options.files ?? (options.root === undefined ? told?.files : undefined);
  const source = files ?? (root === undefined ? undefined : createDiskFiles({ root }));
  return [
    defaultService(LIMITS, () => (name) => {
      const isKnown = model !== undefined && limits === undefined && name === model.model;
      return isKnown ? model.limits() : modelLimits(name, limits);
    }),
    ...(model === undefined ? [] : [defaultService(LLM, () => model)]),
    ...(store === undefined ? [] : [defaultService(SESSION_STORE, () => store)]),
    ...(source === undefined ? [] : [defaultService(FILE_SOURCE, () => source)]),
  ];
}

function clientOf(model: LlmClient | AiSdkModel): LlmClient {
  return 'doGenerate' in model ? createAiSdkClient({ model }) : model;
}
