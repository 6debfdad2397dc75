/** Calibration kept beside the sessions (S6.3): what one process learnt about a model is there for the next. */
import { messageOf } from '../errors';
import type { StoredDocument } from '../session/store';
import { Calibration, ModelCalibration } from './calibration';
import type { CalibrationProfile, ModelProfile } from './calibration';

const SCHEMA: CalibrationProfile['schema'] = 'pith.calibration/1';

/** A calibration and the document that it is kept in. Nothing here fails: without the document, models are learnt anew. */
export class KeptCalibration {
  readonly #calibration: Calibration;
  readonly #document: StoredDocument;
  readonly #warn: (message: string) => void;
  /** The profiles as they were loaded or saved, as JSON. */
  readonly #kept = new Map<string, string>();

  /** @param warn told in a sentence what could not be read or written. */
  constructor(calibration: Calibration, document: StoredDocument, warn: (message: string) => void) {
    this.#calibration = calibration;
    this.#document = document;
    this.#warn = warn;
  }

  /** Takes over what is kept, as far as it is plausible. */
  async load(): Promise<void> {
    const kept = await this.#document
      .read()
      .catch((error: unknown) => this.#warn(`The kept calibration is ignored: ${messageOf(error)}`));
    if (kept === undefined) return;
    const refused = this.#calibration.restore(kept);
    if (refused.includes('*')) this.#warn(`The kept calibration is ignored: it is no "${SCHEMA}".`);
    else if (refused.length > 0)
      this.#warn(`The kept calibration is not plausible for ${refused.join(', ')}; it starts afresh.`);
    for (const [name, profile] of this.#profiles()) this.#kept.set(name, JSON.stringify(profile));
  }

  /** Keeps what was learnt since; of models about which nothing was, what others have kept stays. */
  async save(): Promise<void> {
    const changed = this.#profiles().filter(([name, profile]) => JSON.stringify(profile) !== this.#kept.get(name));
    if (changed.length === 0) return;
    try {
      await this.#document.update((kept) => merged(kept, changed));
    } catch (error) {
      return this.#warn(`What was learnt about how models count is not kept: ${messageOf(error)}`);
    }
    for (const [name, profile] of changed) this.#kept.set(name, JSON.stringify(profile));
  }

  /** What was learnt of each model, those left out of which nothing was. */
  #profiles(): readonly (readonly [string, ModelProfile])[] {
    const isNew = (name: string, profile: ModelProfile): boolean =>
      JSON.stringify(profile) === JSON.stringify(new ModelCalibration(name).profile());
    return Object.entries(this.#calibration.profile().models).filter(([name, profile]) => !isNew(name, profile));
  }
}

/** The kept profile with what was learnt; fixed parts that others have measured stay. What a newer version keeps is left alone. */
function merged(kept: unknown, learnt: readonly (readonly [string, ModelProfile])[]): unknown {
  const { schema = SCHEMA } = (kept ?? {}) as { readonly schema?: unknown };
  if (schema !== SCHEMA) return kept;
  const others = new Calibration();
  others.restore(kept);
  const models = new Map(Object.entries(others.profile().models));
  for (const [name, profile] of learnt) {
    const both = others.of(name);
    for (const [key, tokens] of Object.entries(profile.fixed)) both.keepFixedPart(key, tokens);
    models.set(name, { ...profile, fixed: both.profile().fixed });
  }
  return { schema: SCHEMA, models: Object.fromEntries(models) };
}
