/** The agent of `pith run` and its conversation: by the manifest and the options, new or where it was left. */
import { APPROVAL } from '../../plugins/permissions/token';
import type { Approval } from '../../plugins/permissions/token';
import { createAgent } from '../agent/agent';
import type { Agent } from '../agent/agent';
import type { Conversation } from '../agent/conversation';
import { agentFromManifest } from '../agent/manifest-agent';
import { PithError } from '../errors';
import type { LogSink } from '../kernel/logger';
import { defaultService } from '../kernel/services';
import type { LlmClient } from '../llm/client';
import type { LoadedManifest } from '../manifest';
import type * as Reports from '../report';
import type { LiveReport } from '../report';
import { newestSession } from '../session/newest-session';
import { SESSION_STORE } from '../session/store';
import { inputLimit } from '../tokens/model-limits';
import { counted } from './layout';
import type * as SessionReport from './session-report';
import { manifestName, readManifest } from './started-plugins';
import type { PluginOptions } from './started-plugins';
import type { Terminal } from './terminal';

/** What was asked for. */
export interface RunRequest extends PluginOptions {
  readonly root?: string;
  readonly system?: string;
  readonly model?: string;
  readonly maxOutputTokens?: number;
  /** Id of a session that begins where it is not kept. */
  readonly session?: string;
  /** Id of a session that is kept; true means the newest of the root. */
  readonly resume?: string | true;
  /** Position of its log to go on from. */
  readonly at?: number;
  /** The port on which its report is served; true takes a free one. */
  readonly inspect?: number | true;
}

/** What the surroundings provide: a person to ask, a place for the log. */
export interface RunHost {
  readonly approval?: Approval;
  readonly log?: (level: LoadedManifest['core']['log']['level']) => LogSink;
}

export interface RunningAgent {
  readonly manifest: LoadedManifest;
  readonly agent: Agent;
  readonly model: LlmClient;
  readonly conversation: Conversation;
  /** Where the report of the session is served; its address is shown once, to the person alone. */
  readonly report?: LiveReport | undefined;
}

/**
 * Starts the agent and opens its session. Throws `PITH_MODEL_MISSING` with what the manifest needs, `PITH_SESSION_NOT_FOUND`, and
 * what loading, starting and opening throw.
 */
export async function startRun(request: RunRequest, terminal: Terminal, host: RunHost = {}): Promise<RunningAgent> {
  const manifest = await readManifest(request, flagsOf(request), terminal);
  if (manifest.core.model === undefined) throw noModel(manifest);
  const { system, maxOutputTokens } = request;
  const { approval, log } = host;
  const options = await agentFromManifest(manifest);
  const model = options.model as LlmClient;
  const agent = await createAgent({
    ...options,
    ...(system !== undefined && { system }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(log !== undefined && { log: log(manifest.core.log.level) }),
    defaults: [
      ...(options.defaults ?? []),
      ...(approval === undefined ? [] : [defaultService(APPROVAL, () => approval)]),
    ],
  });
  try {
    const conversation = await openConversation(agent, request, manifest.core.agent.root);
    const running = { manifest, agent, model, conversation };
    return { ...running, report: await liveReport(request.inspect, running) };
  } catch (thrown) {
    await agent.close();
    throw thrown;
  }
}

/** One line about each thing that a person may want to know before anything is said. */
export function introduction({ manifest, model, conversation, report }: RunningAgent): readonly string[] {
  const { session } = conversation;
  const { forkedFrom } = session;
  const from = forkedFrom === undefined ? '' : `, from position ${String(forkedFrom.position)} of ${forkedFrom.id}`;
  const state = session.turn === 0 ? 'new' : `after ${counted(session.turn, 'turn')}`;
  return [
    `${manifestName(manifest)}, ${model.model}`,
    `session ${session.id}, ${state}${from}`,
    ...(report === undefined ? [] : [reportLine(report)]),
  ];
}

/** Where to look while it runs. */
export function reportLine({ url }: LiveReport): string {
  return `report at ${url}`;
}

function flagsOf({ root, model }: RunRequest): Readonly<Record<string, unknown>> {
  return { ...(root !== undefined && { 'agent.root': root }), ...(model !== undefined && { 'model.model': model }) };
}

async function openConversation(
  agent: Agent,
  { session, resume, at }: RunRequest,
  root: string,
): Promise<Conversation> {
  if (session !== undefined && resume !== undefined)
    throw new PithError('PITH_USAGE', '--session and --resume both name the session; give one of them');
  if (at !== undefined && session === undefined && resume === undefined)
    throw new PithError('PITH_USAGE', '--at N is a position of a session; name it by --resume or --session');
  const id = resume === true ? await newestSession(agent.kernel.get(SESSION_STORE), root) : (resume ?? session);
  if (id === undefined && resume !== undefined)
    throw new PithError(
      'PITH_SESSION_NOT_FOUND',
      `no session of ${root} is kept; without --resume a new one begins, and pith sessions lists what there is`,
    );
  return agent.open(id, { create: resume === undefined, ...(at !== undefined && { at }) });
}

/** Serves the report of the session until its end, where that is asked for. */
async function liveReport(
  inspect: RunRequest['inspect'],
  { manifest, agent, model, conversation }: RunningAgent,
): Promise<LiveReport | undefined> {
  if (inspect === undefined) return undefined;
  /* eslint-disable @typescript-eslint/no-require-imports -- only who asks for a report loads it */
  const { serveReport } = require('../report') as typeof Reports;
  const { autoReadBudgetOf, thresholdLines } = require('./session-report') as typeof SessionReport;
  /* eslint-enable @typescript-eslint/no-require-imports */
  const limits = model.limits();
  return serveReport({
    kernel: agent.kernel,
    session: conversation.session,
    port: inspect === true ? 0 : inspect,
    thresholds: thresholdLines(manifest, limits),
    autoReadBudget: autoReadBudgetOf(manifest),
    ...(limits.source !== 'default' && { limit: inputLimit(limits) }),
  });
}

function noModel({ path }: LoadedManifest): PithError {
  const where = path === undefined ? 'no pith.toml was found; pith init writes one' : `${path} has no [model]`;
  return new PithError(
    'PITH_MODEL_MISSING',
    `pith run needs a model, and ${where}. It takes these lines:\n\n` +
      '[model]\nprovider = "anthropic"            # or openai, openai-compatible with base_url, another AI SDK package\n' +
      'model = "claude-sonnet-4-5"\napi_key_env = "ANTHROPIC_API_KEY"\n',
  );
}
