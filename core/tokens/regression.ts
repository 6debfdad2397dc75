/** Recursive least squares with Huber weights: a few rates learnt online, hardly moved by single outliers (S6.3). */

/** How far observations scatter, and how much of a surprise is taken at its word. */
export interface Noise {
  /** Standard deviation as a share of the expected value. */
  readonly relative: number;
  /** Standard deviation beside that, in the unit of the value. */
  readonly absolute: number;
  /** Deviations beyond this many standard deviations count less and less. */
  readonly huber: number;
}

/** Where a rate starts and what it may become. */
export interface Coefficient {
  readonly start: number;
  /** How uncertain the start is. */
  readonly variance: number;
  /** Variance added per observation, so that the rate can follow a change. */
  readonly drift: number;
  readonly min: number;
  readonly max: number;
}

/** How many times its start a variance may become, in longer use than anybody sees. */
const MOST_GROWTH = 10_000;

/** The state of a regression: plain data that can be kept and restored. */
export interface RegressionState {
  readonly rates: readonly number[];
  /** Covariance of the rates, row by row. */
  readonly covariance: readonly (readonly number[])[];
}

/** A linear model `value = Σ rate · feature` whose rates follow what is observed. */
export class Regression {
  readonly #coefficients: readonly Coefficient[];
  readonly #noise: Noise;
  #rates: readonly number[];
  #covariance: readonly (readonly number[])[];

  constructor(coefficients: readonly Coefficient[], noise: Noise) {
    this.#coefficients = coefficients;
    this.#noise = noise;
    this.#rates = coefficients.map(({ start }) => start);
    this.#covariance = coefficients.map(({ variance }, row) =>
      coefficients.map((_, column) => (row === column ? variance : 0)),
    );
  }

  /** The rates, in the order of the coefficients. */
  get rates(): readonly number[] {
    return this.#rates;
  }

  /** What the model expects for features in the order of the coefficients. */
  expect(features: readonly number[]): number {
    return dot(this.#rates, features);
  }

  /** Learns from one observation. */
  observe(features: readonly number[], value: number): void {
    const expected = this.expect(features);
    const error = value - expected;
    const deviation = this.#noise.relative * Math.max(expected, 0) + this.#noise.absolute;
    const trust = Math.min(1, (this.#noise.huber * deviation) / Math.abs(error));
    const projected = this.#covariance.map((row) => dot(row, features));
    const total = deviation ** 2 / trust + dot(projected, features);
    const gains = projected.map((entry) => entry / total);
    this.#covariance = this.#covariance.map((row, at) => {
      const gain = gains[at] as number;
      return row.map(
        (entry, column) => entry - gain * (projected[column] as number) + (at === column ? this.#at(at).drift : 0),
      );
    });
    this.#rates = this.#rates.map((rate, at) => {
      const { min, max } = this.#at(at);
      return Math.min(max, Math.max(min, rate + (gains[at] as number) * error));
    });
  }

  state(): RegressionState {
    return { rates: this.#rates, covariance: this.#covariance };
  }

  /** Goes on from a kept state. Returns false, and changes nothing, where it does not fit or is not plausible. */
  restore(state: unknown): boolean {
    const { rates, covariance } = (state ?? {}) as { readonly rates?: unknown; readonly covariance?: unknown };
    const size = this.#coefficients.length;
    if (!isVector(rates, size) || !rates.every((rate, at) => rate >= this.#at(at).min && rate <= this.#at(at).max))
      return false;
    if (!Array.isArray(covariance) || covariance.length !== size || !covariance.every((row) => isVector(row, size)))
      return false;
    if (!isCovariance(covariance, this.#coefficients)) return false;
    this.#rates = [...rates];
    this.#covariance = covariance.map((row: readonly number[]) => [...row]);
    return true;
  }

  #at(index: number): Coefficient {
    return this.#coefficients[index] as Coefficient;
  }
}

function dot(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, entry, index) => sum + entry * (right[index] as number), 0);
}

function isVector(value: unknown, size: number): value is readonly number[] {
  return Array.isArray(value) && value.length === size && value.every((entry) => Number.isFinite(entry));
}

/** Variances that a coefficient can come to, and no covariance larger than they allow. */
function isCovariance(rows: readonly (readonly number[])[], coefficients: readonly Coefficient[]): boolean {
  const variances = rows.map((row, at) => row[at] as number);
  const isVariance = (variance: number, at: number): boolean =>
    variance > 0 && variance <= MOST_GROWTH * (coefficients[at] as Coefficient).variance;
  if (!variances.every(isVariance)) return false;
  return rows.every((row, at) =>
    row.every(
      (entry, column) =>
        Math.abs(entry) <= Math.sqrt((variances[at] as number) * (variances[column] as number)) * 1.000001,
    ),
  );
}
