/** The job of a compaction (S9.4): bounded, masked, well-formed, and all that a worker is told before it asks at the desk. */
import { CONTEXT } from '../../core/index';
import type { ContextView, Session } from '../../core/index';
import { summaryText } from './blocks';
import type { OpenDesk } from './desk';
import { buildOverview } from './overview';
import type { CompactorParts } from './parts';
import type { Plan } from './plan';
import type { CompactJob } from './worker';

/** Tokens of auto-reads that are advised where no plugin keeps a budget. */
const ADVISED_BUDGET = 8000;
/** Characters of a path that tools of the desk take. */
const PATH_CHARACTERS = 4096;

export interface JobInput {
  readonly id: string;
  readonly session: Session;
  readonly view: ContextView;
  readonly plan: Plan;
  readonly desk: OpenDesk;
  readonly defaultReferences: readonly string[];
  readonly focus: string | undefined;
  /** What plugins ask the worker to mind; stands behind the instructions of the manifest. */
  readonly advised: readonly string[];
}

/** The part that a plan summarises, by item numbers, and the summary of what lies before it. */
export function summarisedRange(
  session: Session,
  plan: Plan,
): { readonly from: number; readonly to: number; readonly previousSummary?: string } {
  const checkpoint = session.get(CONTEXT).checkpoint();
  const summary = checkpoint?.blocks.find((block) => block.kind === 'summary');
  return {
    from: checkpoint?.cut ?? 0,
    to: plan.cutItem,
    ...(summary !== undefined && { previousSummary: summaryText(summary) }),
  };
}

export async function createJob(
  { desks, files, format, guard, settings, tokenizer }: CompactorParts,
  { id, session, view, plan, desk, defaultReferences, focus, advised }: JobInput,
): Promise<CompactJob> {
  const instructions = [...(settings.instructions === undefined ? [] : [settings.instructions]), ...advised].join('\n');
  const { from, to, previousSummary } = summarisedRange(session, plan);
  const mask = (text: string): string => (guard?.mask(text) ?? text).toWellFormed();
  const told = {
    ...(previousSummary !== undefined && { previousSummary: mask(previousSummary) }),
    ...(focus !== undefined && { focus: mask(focus) }),
    ...(instructions !== '' && { instructions: instructions.toWellFormed() }),
    defaultReferences: defaultReferences
      .map((path) => files.display(path).toWellFormed())
      .filter((path) => path.length <= PATH_CHARACTERS),
  };
  const overview = await buildOverview({
    ...told,
    items: [...view.items(0, plan.cut)],
    numberOf: (item) => session.indexOf(item.id),
    mask,
    maxTokens: Math.min(settings.overviewTokens, Math.floor(settings.compactWorkerMaxInputTokens / 10)),
    tokenizer,
  });
  return {
    id,
    sessionId: session.id,
    overview: mask(overview),
    ...told,
    range: { from, to },
    format: { name: format.name, instructions: format.instructions },
    tools: desk.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    limits: {
      summaryMaxTokens: settings.summaryMaxTokens,
      autoReadBudget: desks.budget ?? ADVISED_BUDGET,
      maxInputTokens: settings.compactWorkerMaxInputTokens,
      timeoutMs: settings.workerTimeoutSeconds * 1000,
    },
  };
}
