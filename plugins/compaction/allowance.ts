/**
 * What a desk hands out and takes in all, for one job (S3.5): more than any worker needs that reads everything once, and never
 * more, however often it is asked.
 */
import { isShallow, jsonText } from '../../core/index';
import type { ToolResult } from '../../core/index';

/** Calls beside those for the items, and for each of them. */
const CALLS = { base: 1000, perItem: 2 } as const;
/** Characters of a token, at most but for long runs of blanks; and tokens of what stands around an item. */
const CHARACTERS_PER_TOKEN = 32;
const TOKENS_PER_ITEM = 200;
/** Characters of the arguments of all calls together, as JSON; several of the longest summaries that are looked at. */
const MOST_ARGUMENTS = 4_000_000;

/** What there is to be read. */
export interface JobSize {
  /** Items that are summarised or kept, and their tokens. */
  readonly items: number;
  readonly tokens: number;
  /** Tokens that the worker may send to its model in all; files are read within them. */
  readonly maxInputTokens: number;
}

export class Allowance {
  readonly #mostCalls: number;
  readonly #mostCharacters: number;
  #calls = 0;
  #arguments = 0;
  #handedOut = 0;

  constructor({ items, tokens, maxInputTokens }: JobSize) {
    this.#mostCalls = CALLS.base + CALLS.perItem * items;
    this.#mostCharacters = CHARACTERS_PER_TOKEN * (maxInputTokens + tokens + TOKENS_PER_ITEM * items);
  }

  /** Why a call is not carried out at all, or undefined. */
  refusal(args: unknown): string | undefined {
    if (++this.#calls > this.#mostCalls) return `There were ${this.#mostCalls} calls already; no more are answered.`;
    if (!isShallow(args)) return 'The arguments are nested too deeply.';
    const characters = jsonText(args).length;
    if (this.#arguments + characters > MOST_ARGUMENTS)
      return `The arguments of all calls together may have ${MOST_ARGUMENTS} characters.`;
    this.#arguments += characters;
    return undefined;
  }

  /** The result of a reading as it is handed out: one that would exceed the allowance says so instead. */
  handOut(result: ToolResult): ToolResult {
    const { content } = result;
    const characters = typeof content === 'string' ? content.length : jsonText(content).length;
    if (this.#handedOut + characters > this.#mostCharacters)
      return { summary: 'This desk has handed out more than there is; call write_summary.', isError: true };
    this.#handedOut += characters;
    return result;
  }
}
