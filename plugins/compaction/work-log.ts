/** What a compact worker was given and did, for the record of its compaction (S5.2). Secrets are masked. */
import type { Json, ToolResult } from '../../core/index';

/** One call of a worker to its desk. */
export interface WorkCall {
  readonly tool: string;
  readonly arguments: Json;
  /** The summary of the result; what was read is not repeated. */
  readonly result: string;
  readonly isError: boolean;
}

/** Keeps the input and the calls of one compaction, as they happen. */
export class WorkLog {
  #input = '';
  readonly #calls: WorkCall[] = [];
  readonly #mask: (text: string) => string;

  constructor(mask: (text: string) => string) {
    this.#mask = mask;
  }

  given(input: string): void {
    this.#input = this.#mask(input);
  }

  called(tool: string, args: Json, result: ToolResult): void {
    this.#calls.push({
      tool,
      arguments: this.#masked(args),
      result: this.#mask(result.summary),
      isError: result.isError === true,
    });
  }

  /** The data of the record. */
  get data(): { readonly input: string; readonly calls: Json } {
    return { input: this.#input, calls: this.#calls.map((call) => ({ ...call })) };
  }

  #masked(value: Json): Json {
    if (typeof value === 'string') return this.#mask(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return (value as readonly Json[]).map((entry) => this.#masked(entry));
    return Object.fromEntries(
      Object.entries(value as { readonly [key: string]: Json }).map(([key, inner]) => [key, this.#masked(inner)]),
    );
  }
}
