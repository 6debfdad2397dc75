/**
 * What is learnt about how a model counts (S6.3): tokens per counted token, per frame and per prompt, tokens of opaque
 * reasoning, whether the provider drops reasoning of earlier turns, and the size of known system prompts with their tools.
 */
import { createToken } from '../kernel/token';
import { familyOf, type ModelFamily } from './families';
import { OPAQUE_RATE } from './item-count';
import { Regression, type RegressionState } from './regression';

/** Fixed parts that are remembered per model; the oldest give way. */
const MAX_FIXED_PARTS = 32;

/** Tokens per counted token, per frame unit and per prompt. */
export type Rates = readonly [rate: number, frame: number, prompt: number];

/** What was learnt about one model, as plain JSON. */
export interface ModelProfile {
  readonly text: RegressionState;
  readonly opaque: RegressionState;
  readonly reasoning: ModelFamily['reasoning'];
  /** Measured tokens of system prompt and tools, by the digest of both. */
  readonly fixed: Readonly<Record<string, number>>;
}

/** All that was learnt, as plain JSON; kept beside the session store. */
export interface CalibrationProfile {
  readonly schema: 'pith.calibration/1';
  readonly models: Readonly<Record<string, ModelProfile>>;
}

/** How one model counts; starts from its family and follows what the provider reports. */
export class ModelCalibration {
  readonly family: ModelFamily;
  /** Tokens by counted tokens, frame units and prompts. */
  readonly text: Regression;
  /** Tokens of opaque reasoning by its characters and its items. */
  readonly opaque: Regression;
  /** Whether reasoning of earlier turns is still sent to the model. */
  reasoning: ModelFamily['reasoning'];
  readonly #fixed = new Map<string, number>();

  constructor(readonly name: string) {
    this.family = familyOf(name);
    this.reasoning = this.family.reasoning;
    const { rate, frame, rateVariance } = this.family;
    this.text = new Regression(
      [
        { start: rate, variance: rateVariance, drift: 1e-5, min: 0.6, max: 2.5 },
        { start: frame, variance: 200, drift: 0.2, min: 0, max: 150 },
        { start: 0, variance: 250_000, drift: 100, min: 0, max: 5000 },
      ],
      { relative: 0.12, absolute: 25, huber: 1.5 },
    );
    this.opaque = new Regression(
      [
        { start: OPAQUE_RATE, variance: 1e-3, drift: 1e-7, min: 0.05, max: 0.5 },
        { start: 0, variance: 10_000, drift: 5, min: -150, max: 50 },
      ],
      { relative: 0.1, absolute: 40, huber: 1.5 },
    );
  }

  get rates(): Rates {
    return this.text.rates as unknown as Rates;
  }

  /** Measured tokens of a fixed part, or undefined. */
  fixedPart(key: string): number | undefined {
    return this.#fixed.get(key);
  }

  keepFixedPart(key: string, tokens: number): void {
    this.#fixed.delete(key);
    this.#fixed.set(key, tokens);
    for (const oldest of this.#fixed.keys()) {
      if (this.#fixed.size <= MAX_FIXED_PARTS) break;
      this.#fixed.delete(oldest);
    }
  }

  profile(): ModelProfile {
    return {
      text: this.text.state(),
      opaque: this.opaque.state(),
      reasoning: this.reasoning,
      fixed: Object.fromEntries(this.#fixed),
    };
  }

  /** Goes on from a profile. Returns false where any part of it is not plausible. */
  restore(profile: unknown): boolean {
    const { text, opaque, reasoning, fixed } = (profile ?? {}) as { readonly [part in keyof ModelProfile]?: unknown };
    if (reasoning !== 'kept' && reasoning !== 'dropped') return false;
    if (typeof fixed !== 'object' || fixed === null) return false;
    const parts = Object.entries(fixed);
    if (parts.length > MAX_FIXED_PARTS || !parts.every(([, tokens]) => isTokens(tokens))) return false;
    if (!this.text.restore(text) || !this.opaque.restore(opaque)) return false;
    this.reasoning = reasoning;
    for (const [key, tokens] of parts) this.#fixed.set(key, tokens as number);
    return true;
  }
}

/** The calibrations of all models that a process talks to; shared by all of its sessions. */
export class Calibration {
  readonly #models = new Map<string, ModelCalibration>();

  /** The calibration of a model by name; unnamed models share one. */
  of(model: string | undefined): ModelCalibration {
    const name = model ?? '';
    let known = this.#models.get(name);
    if (known === undefined) {
      known = new ModelCalibration(name);
      this.#models.set(name, known);
    }
    return known;
  }

  profile(): CalibrationProfile {
    const models = [...this.#models].map(([name, model]) => [name, model.profile()] as const);
    return { schema: 'pith.calibration/1', models: Object.fromEntries(models) };
  }

  /**
   * Goes on from a kept profile, which is data from outside: models whose figures are not plausible start afresh.
   * Returns the names of those; a profile of another schema is refused as a whole (`['*']`).
   */
  restore(profile: unknown): readonly string[] {
    const { schema, models } = (profile ?? {}) as { readonly schema?: unknown; readonly models?: unknown };
    if (schema !== 'pith.calibration/1' || typeof models !== 'object' || models === null) return ['*'];
    const refused: string[] = [];
    for (const [name, kept] of Object.entries(models)) {
      const model = new ModelCalibration(name);
      if (model.restore(kept)) this.#models.set(name, model);
      else refused.push(name);
    }
    return refused;
  }
}

/** The calibrations of the process; kept beside the session store. */
export const CALIBRATION = createToken<Calibration>('pith/calibration');

function isTokens(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 && value < 100_000_000;
}
