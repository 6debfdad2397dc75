/**
 * The messages between an agent and a compact worker in another process (S4.2, S11); `docs/protocol.md` describes them to
 * strangers. Neither side trusts the other: every text, list and number has a bound, and what is not described here is left
 * out. Loading this file loads zod, so it is loaded by {@link loadProtocol} alone.
 */
import { z } from 'zod';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Channel, CompactPool, ToolResult } from '../../core/index';
import { poolSubject } from './pool';
import { portableJson } from './portable-json';
import type { CompactJob, WorkerProgress, WorkerReport } from './worker';

/** A call of a tool of the desk. */
export interface CompactAsk {
  readonly tool: string;
  readonly args: unknown;
}

/** The channel of compact jobs. */
export type CompactChannel = Channel<CompactJob, WorkerReport, WorkerProgress, CompactAsk, ToolResult>;

/** Characters of a text that is as long as it takes; what a transport carries may be less. */
const LONG = 1_000_000;
/** Characters of a name, and of a path. */
const NAME = 200;
const PATH = 4096;
/** More tokens, milliseconds, requests or items than any job has. */
const MOST = 1e12;

const text = (most: number) =>
  z
    .string()
    .max(most)
    .refine((given) => given.isWellFormed(), 'expected well-formed Unicode');
const amount = z.number().nonnegative().max(MOST);
const count = z.int().nonnegative().max(MOST);
const json = (characters: number) =>
  z.unknown().superRefine((value, context) => {
    const fault = portableJson(value, characters);
    if (fault !== undefined) context.addIssue({ code: 'custom', ...fault });
  });

const usage = z.object({
  requests: count,
  inputTokens: amount,
  cacheReadTokens: amount,
  cacheWriteTokens: amount,
  outputTokens: amount,
});

const tool = z.object({
  name: z.string().regex(/^[\w.:/-]{1,128}$/),
  description: text(LONG).exactOptional(),
  parameters: json(LONG).exactOptional(),
});

const part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: text(LONG) }),
  z.object({
    type: z.literal('image'),
    mediaType: text(NAME),
    data: text(LONG).exactOptional(),
    url: text(LONG).exactOptional(),
    width: amount.exactOptional(),
    height: amount.exactOptional(),
  }),
]);

/** The job, as the agent offers it: {@link CompactJob}. */
export const compactJob = z.object({
  id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  sessionId: text(1000),
  overview: text(LONG),
  focus: text(LONG).exactOptional(),
  instructions: text(LONG).exactOptional(),
  range: z.object({ from: count, to: count }),
  previousSummary: text(LONG).exactOptional(),
  defaultReferences: z.array(text(PATH)).max(1000),
  format: z.object({ name: text(NAME), instructions: text(LONG) }),
  tools: z.array(tool).max(100),
  limits: z.object({ summaryMaxTokens: amount, autoReadBudget: amount, maxInputTokens: amount, timeoutMs: amount }),
});

/** What the worker asks at the desk: one call of a tool of the job. */
export const compactAsk = z.object({ tool: text(NAME), args: json(LONG) });

/** What the desk answers; a refusal of the desk is an answer with `isError`. */
export const compactAnswer = z.object({
  summary: text(LONG),
  content: z.union([text(LONG), z.array(part).max(1000)]).exactOptional(),
  isError: z.boolean().exactOptional(),
});

/** What the worker tells when it is done; the summary lies at the desk. */
export const compactReport = z.object({ model: text(NAME).exactOptional(), usage });

/** What the worker is at, and what it has cost so far. */
export const compactProgress = z.object({ phase: text(NAME), tokens: amount, spent: compactReport.exactOptional() });

/** The channel on which the jobs of a pool are offered. Throws `PITH_BUS_SETTINGS` for names that are no part of a subject. */
export function compactChannel(pool: Partial<CompactPool>): CompactChannel {
  return {
    subject: poolSubject(pool),
    major: 1,
    service: 'pith-compact',
    request: compactJob as StandardSchemaV1<unknown, CompactJob>,
    reply: compactReport,
    progress: compactProgress,
    asks: { request: compactAsk, reply: compactAnswer },
  };
}
