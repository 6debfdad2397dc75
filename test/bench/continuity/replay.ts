/** Replays sessions: at each cut the need behind it, and how much of it each policy's context holds. */
import { createSessionFiles, createTiktoken } from '../../../core';
import type { Item } from '../../../core';
import { itemTokens } from './context';
import type { NewContext } from './context';
import type { RealSession } from './corpus';
import { cutsOf, horizonOf } from './cuts';
import type { Cut } from './cuts';
import { directivesHeld } from './directives';
import { fileNeedOf } from './file-need';
import { measure } from './measures';
import type { Finding, Need } from './measures';
import { namesNeeded, pastOf } from './name-need';
import { oracle } from './oracle';
import type { Policy } from './policy';

/**
 * Tokens for a context: a number, or the manifest's defaults. The policies behind the first one get what that one took: with
 * the defaults always, else where it took more than the number.
 */
export type Budget = number | 'defaults';

/** One policy at one cut. */
export interface Row extends Finding {
  readonly session: string;
  readonly format: string;
  /** Items before the cut. */
  readonly cut: number;
  readonly budget: Budget;
  /** Tokens that the policy was given. */
  readonly given: number;
  readonly policy: string;
  /** Tool calls that were looked ahead. */
  readonly horizon: number;
  /** How the compaction ended; absent for policies that are none. */
  readonly outcome?: string;
}

export interface ReplayOptions {
  readonly budgets: readonly Budget[];
  readonly horizons: readonly number[];
  /** Tokens between two cuts inside of turns. */
  readonly every: number;
  /** The policies of a budget, in order. */
  policies(budget: Budget): ReadonlyMap<string, Policy>;
}

/** Tokens of the history for each token of the context: with less there is nothing to choose. */
const HISTORY = 1.25;
/** Tokens that the manifest's defaults allow in all: tail, files and summary. */
export const DEFAULTS_TOKENS = 20_000;

const tokenizer = createTiktoken();
const tokensOf = (item: Item): number => itemTokens(item, tokenizer);

/** The rows of a session. */
export async function replay(session: RealSession, options: ReplayOptions): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const least = Math.min(...options.budgets.map(historyFor));
  for (const cut of cutsOf(session, { every: options.every, atLeast: least, tokensOf }))
    rows.push(...(await rowsAt(session, cut, options)));
  return rows;
}

function historyFor(budget: Budget): number {
  return (budget === 'defaults' ? DEFAULTS_TOKENS : budget) * HISTORY;
}

async function rowsAt(session: RealSession, cut: Cut, { budgets, horizons, policies }: ReplayOptions): Promise<Row[]> {
  const { name, format, root, items } = session;
  const before = items.slice(0, cut.items);
  const files = createSessionFiles(before, root);
  const place = {
    tokenizer,
    canonical: (path: string) => files.canonical(path),
    display: (path: string) => files.display(path),
    ...(root !== undefined && { root }),
  };
  const needs = await needsAt(session, cut, horizons);
  const rows: Row[] = [];
  for (const budget of budgets) {
    if (cut.tokens < historyFor(budget)) continue;
    let given = budget === 'defaults' ? DEFAULTS_TOKENS : budget;
    let isFirst = true;
    for (const [policy, makes] of policies(budget)) {
      let context: NewContext | undefined;
      for (const [horizon, need] of needs) {
        if (context === undefined || makes === oracle)
          context = await makes({ session, cut, before, files, tokens: given, tokenizer, need });
        const { outcome } = context;
        const at = { session: name, format, cut: cut.items, budget, given, policy, horizon };
        rows.push({ ...at, ...(outcome && { outcome }), ...(await measure(context, need, place)) });
      }
      const spent = rows.at(-1)?.measured.tokens ?? 0;
      if (isFirst) given = budget === 'defaults' ? spent : Math.max(budget, spent);
      isFirst = false;
    }
  }
  return rows;
}

async function needsAt(
  { items, root, system }: RealSession,
  cut: Cut,
  horizons: readonly number[],
): Promise<ReadonlyMap<number, Need>> {
  const before = items.slice(0, cut.items);
  const later = items.slice(cut.items);
  const past = pastOf(before, root);
  const directives = directivesHeld(before, later, cut);
  const needs = new Map<number, Need>();
  for (const horizon of horizons) {
    const after = horizonOf(later, horizon);
    const names = namesNeeded({ past, after, system, ...(root !== undefined && { root }) });
    needs.set(horizon, { ...(await fileNeedOf(before, after, root)), names, directives });
  }
  return needs;
}
