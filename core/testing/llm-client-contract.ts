/**
 * What every model client must do, whichever provider it speaks to (S6.1, S5.3): one reply however it is asked for, usage
 * normalised once, errors told apart, and an end when it is told to end.
 */
import type { LlmClient } from '../llm/client';
import type { ContractCheck } from './contract-check';
import { abortChecks } from './llm-aborts';
import { errorChecks } from './llm-errors';
import { replyChecks } from './llm-replies';
import { usageChecks } from './llm-usage';
import type { Script, SeenRequest } from './script';

/** A client that is connected to a model which says what a script says. */
export interface ConnectedClient {
  readonly client: LlmClient;
  /** Every request that the model was sent. */
  readonly requests: readonly SeenRequest[];
  /** Ends the model. */
  close?(): void | Promise<void>;
}

/** A model client as the contract of clients tests it. */
export interface LlmClientUnderTest {
  /**
   * Starts a model with this script, such as `startStrictProvider`, and a client of it. Where the client waits between its
   * retries, it should not wait here.
   */
  connect(script: Script): ConnectedClient | Promise<ConnectedClient>;
}

/** Connects a client for one check, which is ended with it. */
export type Connect = (script: Script) => Promise<ConnectedClient>;

/** A check on clients that it connects itself. */
export interface ClientCheck {
  readonly name: string;
  check(connect: Connect): Promise<void>;
}

/** The checks of the contract of model clients; `test.each` of any runner takes them. */
export function llmClientContract(under: LlmClientUnderTest): readonly ContractCheck[] {
  return [...replyChecks, ...usageChecks, ...errorChecks, ...abortChecks].map(({ name, check }) => ({
    name,
    async run() {
      const open: ConnectedClient[] = [];
      try {
        await check(async (script) => {
          const connected = await under.connect(script);
          open.push(connected);
          return connected;
        });
      } finally {
        for (const { close } of open) await close?.();
      }
    },
  }));
}
