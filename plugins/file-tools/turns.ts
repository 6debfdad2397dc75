/** Work on one file takes its turn: what reads, changes and remembers a file is never mixed with another such work. */

/** Runs work as soon as all earlier work of the same key has ended, however it ended. */
export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createTurns(): InTurn {
  const newest = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = newest.get(key);
    const turn = (async () => {
      await before?.catch(() => undefined);
      return work();
    })();
    newest.set(key, turn);
    try {
      return await turn;
    } finally {
      if (newest.get(key) === turn) newest.delete(key);
    }
  };
}
