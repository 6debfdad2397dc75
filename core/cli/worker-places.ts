/**
 * The places of a worker process, each for one job at a time. A place is in the queue of its pool or out of it; all leave and
 * come back together. One that leaves ends the job that it has, and is back only then, so that there are never more jobs at
 * once than places.
 */
export class Places {
  readonly #serve: () => AsyncDisposable;
  readonly #places: Place[];
  #isIn = false;

  /** `serve` takes one place in the queue; disposing takes it out and ends when its job has. */
  constructor(count: number, serve: () => AsyncDisposable) {
    this.#serve = serve;
    this.#places = Array.from({ length: count }, () => ({ served: undefined, leaving: undefined }));
  }

  /** Whether jobs are taken, or would be if a place were free. */
  get isIn(): boolean {
    return this.#isIn;
  }

  enter(): void {
    this.#isIn = true;
    for (const place of this.#places) this.#fill(place);
  }

  /** Resolves when the jobs of all places have ended. Never rejects. */
  async leave(): Promise<void> {
    this.#isIn = false;
    for (const place of this.#places) {
      const { served } = place;
      if (served === undefined) continue;
      place.served = undefined;
      place.leaving = Promise.resolve(served[Symbol.asyncDispose]())
        .catch(() => undefined)
        .then(() => {
          place.leaving = undefined;
          this.#fill(place);
        });
    }
    await Promise.all(this.#places.flatMap(({ leaving }) => leaving ?? []));
  }

  #fill(place: Place): void {
    if (this.#isIn && place.served === undefined && place.leaving === undefined) place.served = this.#serve();
  }
}

interface Place {
  served: AsyncDisposable | undefined;
  leaving: Promise<void> | undefined;
}
