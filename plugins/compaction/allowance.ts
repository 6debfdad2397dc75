/**
 * What a desk hands out in all to a worker that is not trusted (S3.5): no more than could be sent in all its requests
 * together, so that an honest worker never meets the end of it.
 */
import { isShallow, jsonText } from '../../core/index';
import type { ToolResult } from '../../core/index';

/** Calls of one job; a worker that needs as many is lost. */
const MOST_CALLS = 1000;
/** Characters of the arguments of all calls together, as JSON; several of the longest summaries that are looked at. */
const MOST_ARGUMENTS = 1_000_000;

export class Allowance {
  readonly #tokens: number;
  readonly #countText: (text: string) => number;
  #calls = 0;
  #characters = 0;
  #handedOut = 0;

  /** @param tokens that results may have together */
  constructor(tokens: number, countText: (text: string) => number) {
    this.#tokens = tokens;
    this.#countText = countText;
  }

  /** Why a call is not carried out at all, or undefined. */
  refusal(args: unknown): string | undefined {
    if (++this.#calls > MOST_CALLS) return `There were ${MOST_CALLS} calls already; no more are answered.`;
    if (!isShallow(args)) return 'The arguments are nested too deeply.';
    const characters = jsonText(args).length;
    if (this.#characters + characters > MOST_ARGUMENTS)
      return `The arguments of all calls together may have ${MOST_ARGUMENTS} characters.`;
    this.#characters += characters;
    return undefined;
  }

  /** The result of a reading as it is handed out: one that would exceed the allowance says so instead. */
  handOut(result: ToolResult): ToolResult {
    const { content } = result;
    if (content === undefined) return result;
    const texts =
      typeof content === 'string' ? [content] : content.map((part) => (part.type === 'text' ? part.text : ''));
    const tokens = texts.reduce((sum, text) => sum + this.#countText(text), 0);
    if (this.#handedOut + tokens > this.#tokens)
      return {
        summary: `This desk has handed out ${this.#handedOut} tokens and hands out ${this.#tokens} at most; ask for less, or call write_summary.`,
        isError: true,
      };
    this.#handedOut += tokens;
    return result;
  }
}
