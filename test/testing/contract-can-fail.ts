/** No check of a contract may be one that never fails: for each there is something broken that it refuses. */
import { isNativeError } from 'node:util/types';
import type { ContractCheck } from '../../core/testing';

/** Something broken, by the name of the check that must find it. */
export type Broken<Under> = Readonly<Record<string, Under>>;

/** Declares a test for each check: it fails for what is broken in the way that it looks at. */
export function expectEachToFail<Under>(
  contract: (under: Under) => readonly ContractCheck[],
  broken: Broken<Under>,
): void {
  const [any] = Object.values(broken);
  const names = contract(any as Under).map(({ name }) => name);

  test('there is something broken for each check, and for nothing else', () => {
    expect(Object.keys(broken).sort()).toEqual([...names].sort());
  });

  test.each(Object.entries(broken))('what is broken is found: %s', async (name, under) => {
    const check = contract(under).find((one) => one.name === name);
    const thrown: unknown = await check?.run().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect([thrown, isNativeError(thrown)]).toEqual([thrown, true]);
  });
}
