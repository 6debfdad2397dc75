/** What every request of a context carries beside its entries: system prompt, tool schemas, pins and checkpoint blocks (S6.2). */
import type { ModelCalibration } from './calibration';
import type { EstimateSource } from './occupancy';

/** The fixed part of a context, by counts alone. */
export interface FixedPart {
  /** The model that is asked. Undefined: that of the measurements. */
  readonly model?: string;
  /** Digest of system prompt and tool schemas. Undefined where they are not known, as in a foreign session. */
  readonly key?: string;
  /** Counted tokens of the system prompt. */
  readonly system: number;
  /** Counted tokens of the tool schemas. */
  readonly tools: number;
  /** Counted tokens of further system content: pins and checkpoint blocks. */
  readonly blocks: number;
  /** Context window of the model in tokens, where known; bounds what a measurement may plausibly say. */
  readonly contextWindow?: number;
}

/** Tokens of the fixed part, and how they are known. */
export interface FixedTokens {
  readonly tokens: number;
  readonly source: Extract<EstimateSource, 'offset' | 'counted'>;
}

/** How far a measured prompt may lie beyond its count, as hidden text of a host or provider does. */
const HIDDEN_TOKENS = 2000;

/**
 * Remembers how large the fixed part really was: from the first measurement of its system prompt and tools, when few entries
 * blur it (S6.3). What was measured survives compactions; a changed prompt starts from the old one and the counted difference.
 */
export class FixedPartLedger {
  #part: FixedPart = { system: 0, tools: 0, blocks: 0 };
  /** Sizes measured by this ledger, by model and key. */
  readonly #measured = new Map<string, number>();
  #derived: FixedTokens | undefined;

  get part(): FixedPart {
    return this.#part;
  }

  /** Another ledger that knows what this one knows. */
  fork(): FixedPartLedger {
    const other = new FixedPartLedger();
    other.#part = this.#part;
    other.#derived = this.#derived;
    for (const [id, tokens] of this.#measured) other.#measured.set(id, tokens);
    return other;
  }

  /** Takes over a new fixed part of the models before and after. Returns whether requests differ from those before. */
  change(part: FixedPart, from: ModelCalibration, to: ModelCalibration): boolean {
    const before = this.#prompt(from);
    const countedBefore = this.#counted(from);
    const sameModel = from === to;
    const { key, system, tools, blocks } = this.#part;
    const samePrompt = part.key === key && part.system === system && part.tools === tools;
    this.#part = part;
    if (sameModel && samePrompt) return part.blocks !== blocks;
    const change = sameModel ? this.#counted(to) - countedBefore : before.tokens * (rate(to) / rate(from) - 1);
    this.#derived =
      before.source === 'offset'
        ? { tokens: Math.max(0, before.tokens + change), source: sameModel ? 'offset' : 'counted' }
        : undefined;
    return true;
  }

  /** Tokens of the whole fixed part for a model. */
  tokens(model: ModelCalibration): FixedTokens {
    const prompt = this.#prompt(model);
    return { tokens: prompt.tokens + rate(model) * this.#part.blocks, source: prompt.source };
  }

  /** Learns from what a measured request holds beside its entries; only the first of a model, prompt and tools counts. */
  learn(model: ModelCalibration, tokens: number): void {
    const id = this.#id(model);
    if (this.#measured.has(id)) return;
    const prompt = Math.max(0, tokens - rate(model) * this.#part.blocks);
    const counted = this.#counted(model);
    const known = this.#part.key !== undefined;
    const plausible = known ? Math.min(Math.max(prompt, counted / 2), 2 * counted + HIDDEN_TOKENS) : prompt;
    this.#measured.set(id, plausible);
    if (this.#part.key !== undefined) model.keepFixedPart(this.#part.key, plausible);
  }

  /** System prompt and tools alone. */
  #prompt(model: ModelCalibration): FixedTokens {
    const { key } = this.#part;
    const measured = this.#measured.get(this.#id(model)) ?? (key === undefined ? undefined : model.fixedPart(key));
    if (measured !== undefined) return { tokens: measured, source: 'offset' };
    return this.#derived ?? { tokens: this.#counted(model), source: 'counted' };
  }

  #counted(model: ModelCalibration): number {
    const { system, tools } = this.#part;
    return rate(model) * (system + tools) + (tools > 0 ? model.family.tools : 0);
  }

  #id(model: ModelCalibration): string {
    return JSON.stringify([model.name, this.#part.key]);
  }
}

/** Provider tokens per counted token. */
function rate(model: ModelCalibration): number {
  return model.rates[0];
}
