/**
 * What every session store must do, wherever it keeps its logs (S5.5): the same checks with the same outcomes for each. They
 * need no test runner: each is a name and a function that rejects where the store is not as it must be.
 */
import type { SessionStore } from '../session/store';
import type { ContractCheck } from './contract-check';
import { storeLogChecks } from './store-logs';
import { storeSharingChecks } from './store-sharing';

/** A store as the contract of stores tests it. */
export interface SessionStoreUnderTest {
  /** Makes an empty store. */
  create(): SessionStore | Promise<SessionStore>;
  /** The same store as another process would open it; without it the store cannot be opened twice. */
  again?(store: SessionStore): SessionStore | Promise<SessionStore>;
}

/** A check on an empty store, and on the same one opened again. */
export interface StoreCheck {
  readonly name: string;
  check(store: SessionStore, again: SessionStore): Promise<void>;
}

/** The checks of the contract of session stores; `test.each` of any runner takes them. */
export function sessionStoreContract(under: SessionStoreUnderTest): readonly ContractCheck[] {
  return [...storeLogChecks, ...storeSharingChecks].map(({ name, check }) => ({
    name,
    async run() {
      const store = await under.create();
      await check(store, (await under.again?.(store)) ?? store);
    },
  }));
}
